/** A key and the certificate for it, signed by an authority. */
import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { readElement, tags } from "../der/reader.ts";
import { subjectKeyIdOf, subjectOf } from "../x509/certificate.ts";
import { ipBytes } from "../x509/ip-bytes.ts";
import { type CertificateTemplate, type Issuer, issueCertificate, type Usage } from "./issue-certificate.ts";

import { exportKey, newKeys } from "./keys.ts";

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** DNS names and IP addresses (as text) that a server is reached by. */
export interface ServedNames {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

/** The subject of a key pair. */
export interface Subject {
  /** Its distinguished name, encoded. */
  readonly subject: Uint8Array;
  readonly usage: Extract<Usage, "server auth" | "client auth">;
  readonly names?: ServedNames;
}

/** A day in milliseconds. */
export const dayMs = 24 * 60 * 60 * 1000;
const lifetimeMs = 365 * dayMs;
/** How long before now certificates begin, in milliseconds: clocks of clients may be behind. */
export const skewMs = 60 * 60 * 1000;
/** No subject alternative names at all. */
export const noNames: CertificateTemplate["names"] = { dns: [], email: [], uri: [], ip: [] };

/** Makes a key and its certificate, which is valid for a year. `now` is in milliseconds since the epoch. */
export function issuePair(issuer: Issuer | "self", { subject, usage, names }: Subject, now: number): KeyPair {
  const keys = newKeys();
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

/** Reads an authority's own certificate and key, so that it can sign others. @throws Error when they cannot be parsed */
export function issuerOf({ cert, key }: KeyPair): Issuer {
  const certificate = new X509Certificate(cert);
  const element = readElement(certificate.raw, tags.sequence);
  const subject = subjectOf(element);
  if (subject === undefined) throw new Error("the certificate of the authority has no subject");
  const keyId = subjectKeyIdOf(element) ?? new Uint8Array(0);
  return { subject: subject.whole, keyId, publicKey: certificate.publicKey, privateKey: createPrivateKey(key) };
}

/** Returns 16 random bytes for a serial number, which is positive and always equally long. */
export function newSerial(): Uint8Array {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40; // positive and always as long
  return serial;
}
