/** Where the authority of a cluster and the certificate that it serves with come from: files of the user's own, or what is kept here. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf } from "@coxswain/machinery";
import type { KeyPair } from "@coxswain/pki/node";
import type { CertificateFiles } from "../options/certificate-options.ts";
import { type Authority, authorityProblem, keepAuthority, readAuthority } from "../pki/authority.ts";
import { certificateOf } from "../pki/certificates.ts";
import type { PemStore } from "../pki/pem-store.ts";
import { StartError } from "../process/start-error.ts";

/** @throws StartError for options of which one lacks the other */
export function checkFiles({ clusterSigningCert, clusterSigningKey, tlsCert, tlsKey }: CertificateFiles): void {
  if (clusterSigningKey !== undefined && clusterSigningCert === undefined)
    throw new StartError("--cluster-signing-key-file needs --cluster-signing-cert-file");
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new StartError("--tls-cert-file and --tls-private-key-file go together");
}

/** The folders in which something may change. */
export const foldersOf = (store: PemStore, files: CertificateFiles): string[] => [
  ...(store.directory === undefined ? [] : [store.directory]),
  ...Object.values(files).flatMap((file: string | undefined) => (file === undefined ? [] : [dirname(resolve(file))])),
];

/** `now` at the start, when one that is missing is made. @throws Error, in words for the user, for what cannot be used */
export function clusterAuthority(store: PemStore, files: CertificateFiles, now: number | undefined): Authority {
  const { clusterSigningCert: certFile, clusterSigningKey: keyFile } = files;
  if (certFile === undefined) {
    const kept = now === undefined ? readAuthority(store, "ca") : keepAuthority(store, "ca", now);
    if (kept === undefined) throw new Error("ca.crt and ca.key are damaged, or do not belong together");
    return kept;
  }
  const authority = {
    cert: read(certFile, "--cluster-signing-cert-file"),
    key: keyFile === undefined ? undefined : read(keyFile, "--cluster-signing-key-file"),
  };
  const problem = authorityProblem(authority);
  if (problem !== undefined) throw new Error(`--cluster-signing-cert-file ${problem}`);
  return authority;
}

/** Undefined where the options name none. @throws Error, in words for the user, for what cannot be used */
export function ownServingPair({ tlsCert, tlsKey }: CertificateFiles): KeyPair | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const pair = { cert: read(tlsCert, "--tls-cert-file"), key: read(tlsKey, "--tls-private-key-file") };
  if (certificateOf(pair) === undefined)
    throw new Error("--tls-cert-file and --tls-private-key-file cannot be read, or do not belong together");
  return pair;
}

function read(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read ${what}: ${messageOf(error)}`, { cause: error });
  }
}
