/** Authorities of a cluster: made when missing, and where their key is not here, somebody else's. */
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { nameWith } from "@coxswain/pki";
import { dayMs, exportKey, type Issuer, issueCertificate, issuerOf, newKeys, newSerial, noNames, skewMs } from "@coxswain/pki/node";
import type { PemStore } from "./pem-store.ts";

/** As kubeadm calls them: one signs servers and clients of the cluster, the other the proxies in front of its API servers. */
export type AuthorityName = "ca" | "front-proxy-ca";

/** In PEM. */
export interface Authority {
  readonly cert: string;
  /** Undefined where it is externally managed: it signs nothing here. */
  readonly key: string | undefined;
}

const authorityMs = 3650 * dayMs;
/** With less than this left, a start makes another one. */
const renewMs = 30 * dayMs;

/** The one that is kept, or a new one, where it is missing, damaged or about to end. `now` in milliseconds since the epoch. */
export function keepAuthority(store: PemStore, name: AuthorityName, now: number): Authority {
  const kept = readAuthority(store, name);
  if (kept !== undefined && (kept.key === undefined || endOf(kept.cert) - now >= renewMs)) return kept;
  return makeAuthority(store, name, now);
}

/** Undefined for what is missing, damaged or does not belong together. @throws Error for a damaged one that is externally managed */
export function readAuthority(store: PemStore, name: AuthorityName): Authority | undefined {
  const [cert, key] = [store.read(`${name}.crt`), store.read(`${name}.key`)];
  if (cert === undefined) return undefined;
  const problem = authorityProblem({ cert, key });
  if (problem === undefined) return { cert, key };
  if (key === undefined) throw new Error(`${name}.crt ${problem}`);
  return undefined;
}

/** What is wrong with a certificate of an authority, and with its key. */
export function authorityProblem({ cert, key }: Authority): string | undefined {
  try {
    const certificate = new X509Certificate(cert);
    if (!certificate.ca) return "is no certificate of an authority";
    return key === undefined || createPublicKey(createPrivateKey(key)).equals(certificate.publicKey)
      ? undefined
      : "does not belong to the key";
  } catch {
    return "cannot be read";
  }
}

const endOf = (cert: string): number => new X509Certificate(cert).validToDate.getTime();

/** Undefined where its key is not here. */
export const signerOf = ({ cert, key }: Authority): Issuer | undefined => (key === undefined ? undefined : issuerOf({ cert, key }));

function makeAuthority(store: PemStore, name: AuthorityName, now: number): Authority {
  const keys = newKeys();
  const serial = newSerial();
  // A name of its own for each authority: clients that know an older one then see an unknown issuer, not a broken signature.
  const prefix = name === "ca" ? "coxswain" : "coxswain-front-proxy";
  const subject = nameWith(`${prefix}-${Buffer.from(serial).toString("hex").slice(0, 8)}`);
  const cert = issueCertificate({
    subject,
    issuer: { subject, ...keys },
    publicKey: keys.publicKey,
    serial,
    notBefore: now - skewMs,
    notAfter: now + authorityMs,
    authority: true,
    usages: ["cert sign", "crl sign"],
    names: noNames,
  });
  const key = exportKey(keys.privateKey);
  store.write(`${name}.key`, key);
  store.write(`${name}.crt`, cert);
  return { cert, key };
}
