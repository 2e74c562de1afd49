/** A key and the certificate for it, signed by an authority. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, X509Certificate } from "node:crypto";
import { type CertificateTemplate, type Issuer, ipBytes, issueCertificate, nameWith, type Usage } from "@coxswain/apiserver";

/** In PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface ServedNames {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

export interface Subject {
  /** Its distinguished name, encoded. */
  readonly subject: Uint8Array;
  readonly usage: Extract<Usage, "server auth" | "client auth">;
  readonly names?: ServedNames;
}

export const dayMs = 24 * 60 * 60 * 1000;
const lifetimeMs = 365 * dayMs;
/** Clocks of clients may be behind. */
export const skewMs = 60 * 60 * 1000;
export const noNames: CertificateTemplate["names"] = { dns: [], email: [], uri: [], ip: [] };

/** `now` in milliseconds since the epoch; it is good for a year. */
export function issuePair(issuer: Issuer | "self", { subject, usage, names }: Subject, now: number): KeyPair {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = issueCertificate({
    subject,
    issuer: issuer === "self" ? { subject, ...keys } : issuer,
    publicKey: keys.publicKey,
    serial: newSerial(),
    notBefore: now - skewMs,
    notAfter: now + lifetimeMs,
    authority: false,
    usages: ["digital signature", usage],
    names: { ...noNames, dns: names?.dns ?? [], ip: (names?.ip ?? []).map(ipBytes) },
  });
  return { cert, key: exportKey(keys.privateKey) };
}

/** Of an authority's own certificate and key. */
export function issuerOf({ cert, key }: KeyPair): Issuer {
  const certificate = new X509Certificate(cert);
  const name = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? "";
  return { subject: nameWith(name), publicKey: certificate.publicKey, privateKey: createPrivateKey(key) };
}

export const exportKey = (key: KeyObject): string => key.export({ format: "pem", type: "pkcs8" }).toString();

export function newSerial(): Uint8Array {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40; // positive and always as long
  return serial;
}
