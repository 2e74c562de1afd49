/** Certificates and authorities of the user's own: options that are called as those of kube-apiserver and kube-controller-manager. */
import type { Command } from "commander";

/** Files; each is followed as it changes. */
export interface CertificateFiles {
  /** The authority of the cluster, instead of one that is made. */
  readonly clusterSigningCert?: string | undefined;
  /** Without it, that authority is externally managed. */
  readonly clusterSigningKey?: string | undefined;
  /** With what the API server serves, instead of what that authority signs. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

export interface ParsedAuthorityOptions {
  readonly clusterSigningCertFile?: string | undefined;
  readonly clusterSigningKeyFile?: string | undefined;
}

export interface ParsedCertificateOptions extends ParsedAuthorityOptions {
  readonly tlsCertFile?: string | undefined;
  readonly tlsPrivateKeyFile?: string | undefined;
}

export const addAuthorityOptions = (command: Command): Command =>
  command
    .option("--cluster-signing-cert-file <file>", "the authority of the cluster (default: one that is made)")
    .option("--cluster-signing-key-file <file>", "its key; without it, nothing is signed here, and what is missing is not made");

export const addCertificateOptions = (command: Command): Command =>
  addAuthorityOptions(command)
    .option("--tls-cert-file <file>", "with what it serves (default: a certificate of that authority)")
    .option("--tls-private-key-file <file>", "the key of that");

/** Undefined without any of the options. */
export function certificateFilesOf(parsed: ParsedCertificateOptions): CertificateFiles | undefined {
  const files: CertificateFiles = {
    clusterSigningCert: parsed.clusterSigningCertFile,
    clusterSigningKey: parsed.clusterSigningKeyFile,
    tlsCert: parsed.tlsCertFile,
    tlsKey: parsed.tlsPrivateKeyFile,
  };
  return Object.values(files).every((file) => file === undefined) ? undefined : files;
}
