/** What certificates a server has, and new ones in their place: for whoever looks at its data directory, while it runs or not. */
import { X509Certificate } from "node:crypto";
import { messageOf } from "@coxswain/machinery";
import type { CertificateFiles } from "../options/certificate-options.ts";
import { type Authority, type AuthorityName, readAuthority, signerOf } from "../pki/authority.ts";
import {
  authorityNameOf,
  type CertificateName,
  certificateNames,
  certificateOf,
  issue,
  readPair,
  wantedOf,
  writePair,
} from "../pki/certificates.ts";
import type { PemStore } from "../pki/pem-store.ts";
import { StartError } from "../process/start-error.ts";
import { checkFiles, clusterAuthority, ownServingPair } from "./certificate-sources.ts";

/** The fields of kubeadm's `check-expiration -o json`. */
export interface ExpiringAuthority {
  readonly name: string;
  /** Undefined for one that is missing. */
  readonly expirationDate: string | undefined;
  /** Seconds. */
  readonly residualTime: number;
  /** Whether its key, or that of who signs it, is elsewhere. */
  readonly externallyManaged: boolean;
  readonly missing: boolean;
}

export interface ExpiringCertificate extends ExpiringAuthority {
  readonly caName: string;
}

export interface CertificateReport {
  readonly certificates: readonly ExpiringCertificate[];
  readonly certificateAuthorities: readonly ExpiringAuthority[];
}

const authorityNames: readonly AuthorityName[] = ["ca", "front-proxy-ca"];

/** `now` in milliseconds since the epoch. @throws StartError for files that cannot be used */
export function certificateReport(store: PemStore, files: CertificateFiles, now: number): CertificateReport {
  checkFiles(files);
  const authorities = new Map(authorityNames.map((name) => [name, authorityOf(store, files, name)]));
  const own = inWords(() => ownServingPair(files));
  return {
    certificates: certificateNames.map((name) => {
      const caName = authorityNameOf(name);
      const isOwn = name === "apiserver" && own !== undefined;
      const pair = isOwn ? own : readPair(store, name);
      const isExternal = isOwn || authorities.get(caName)?.key === undefined;
      return { name, ...expiryOf(pair && certificateOf(pair), now), caName: isOwn ? "" : caName, externallyManaged: isExternal };
    }),
    certificateAuthorities: authorityNames.map((name) => {
      const authority = authorities.get(name);
      return {
        name,
        ...expiryOf(authority && new X509Certificate(authority.cert), now),
        externallyManaged: authority !== undefined && authority.key === undefined,
      };
    }),
  };
}

const expiryOf = (certificate: X509Certificate | undefined, now: number) => ({
  expirationDate: certificate?.validToDate.toISOString().replace(".000Z", "Z"),
  residualTime: certificate === undefined ? 0 : Math.floor((certificate.validToDate.getTime() - now) / 1000),
  missing: certificate === undefined,
});

/** The certificates that names mean. @throws StartError for names that mean none */
export function namedCertificates(names: readonly string[]): readonly CertificateName[] {
  if (names.includes("all")) return certificateNames;
  return names.map((name) => {
    const known = certificateNames.find((one) => one === name);
    if (known !== undefined) return known;
    if (authorityNames.some((authority) => authority === name))
      throw new StartError(
        `${name} is an authority: whoever trusts it would trust nobody any more; certificates that it has signed can be renewed`,
      );
    throw new StartError(`there is no certificate ${JSON.stringify(name)}; there are ${certificateNames.join(", ")}`);
  });
}

/**
 * Makes one with another key that says the same, and ends later. Returns when, in milliseconds since the epoch.
 * @throws StartError where none can be made
 */
export function renewCertificate(store: PemStore, files: CertificateFiles, name: CertificateName, now: number): number {
  checkFiles(files);
  const refusal = `the certificate ${name} cannot be renewed`;
  if (name === "apiserver" && files.tlsCert !== undefined)
    throw new StartError(`${refusal}: it is externally managed, in the file of --tls-cert-file`);
  const authorityName = authorityNameOf(name);
  const authority = authorityOf(store, files, authorityName);
  const kept = readPair(store, name);
  const certificate = kept && certificateOf(kept);
  if (authority === undefined || certificate === undefined)
    throw new StartError(`${refusal}: it is not there, or damaged; the server makes what is missing at its start`);
  const signer = inWords(() => signerOf(authority));
  if (signer === undefined)
    throw new StartError(`${refusal}: its authority ${authorityName} is externally managed, the key of which is not here`);
  const pair = issue(signer, wantedOf(name, certificate), now);
  writePair(store, name, pair);
  return new X509Certificate(pair.cert).validToDate.getTime();
}

function authorityOf(store: PemStore, files: CertificateFiles, name: AuthorityName): Authority | undefined {
  if (name === "ca" && files.clusterSigningCert !== undefined) return inWords(() => clusterAuthority(store, files, undefined));
  return inWords(() => readAuthority(store, name));
}

/** @throws StartError */
function inWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new StartError(messageOf(error), { cause: error });
  }
}
