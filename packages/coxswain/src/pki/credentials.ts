/** The certificate authority of one server and the certificate that it serves with: made when missing, renewed in time. */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { nameWith } from "@coxswain/pki";
import {
  dayMs,
  exportKey,
  type Issuer,
  issueCertificate,
  issuePair,
  type KeyPair,
  newKeys,
  newSerial,
  noNames,
  type ServedNames,
  skewMs,
} from "@coxswain/pki/node";

/** Where PEM texts are kept between starts. */
export interface PemStore {
  read(name: string): string | undefined;
  write(name: string, pem: string): void;
}

export interface ServingCredentials {
  readonly authority: string;
  readonly authorityKey: string;
  readonly cert: string;
  readonly key: string;
}

interface Authority extends Issuer {
  readonly cert: string;
}

const authorityMs = 3650 * dayMs;
/** Renewed when a restart finds less than this left. */
const renewMs = 30 * dayMs;

/** `now` in milliseconds since the epoch. A certificate that lacks one of the names is issued again by the same authority. */
export function servingCredentials(store: PemStore, names: ServedNames, now: number): ServingCredentials {
  const authority = loadAuthority(store, now) ?? makeAuthority(store, now);
  const saved = readPair(store, "serving");
  const serving = saved !== undefined && stillGood(saved, authority, names, now) ? saved : makeServing(store, authority, names, now);
  return { authority: authority.cert, authorityKey: exportKey(authority.privateKey), ...serving };
}

function readPair(store: PemStore, name: "ca" | "serving"): KeyPair | undefined {
  const cert = store.read(`${name}.crt`);
  const key = store.read(`${name}.key`);
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

function loadAuthority(store: PemStore, now: number): Authority | undefined {
  const saved = readPair(store, "ca");
  if (saved === undefined) return undefined;
  const parsed = parsePair(saved);
  if (parsed === undefined || !parsed.certificate.ca || needsRenewal(parsed.certificate, now)) return undefined;
  const subject = /^CN=(.*)$/m.exec(parsed.certificate.subject)?.[1] ?? "";
  return { subject: nameWith(subject), cert: saved.cert, publicKey: parsed.certificate.publicKey, privateKey: parsed.privateKey };
}

function makeAuthority(store: PemStore, now: number): Authority {
  const keys = newKeys();
  const serial = newSerial();
  // A name of its own for each authority: clients that know an older one then see an unknown issuer, not a broken signature.
  const subject = nameWith(`coxswain-${Buffer.from(serial).toString("hex").slice(0, 8)}`);
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
  store.write("ca.key", exportKey(keys.privateKey));
  store.write("ca.crt", cert);
  return { subject, cert, ...keys };
}

function makeServing(store: PemStore, authority: Authority, names: ServedNames, now: number): KeyPair {
  const { cert, key } = issuePair(authority, { subject: nameWith("coxswain"), usage: "server auth", names }, now);
  store.write("serving.key", key);
  store.write("serving.crt", cert);
  return { cert, key };
}

function stillGood(saved: KeyPair, authority: Authority, names: ServedNames, now: number): boolean {
  const certificate = parsePair(saved)?.certificate;
  if (certificate === undefined || needsRenewal(certificate, now) || !certificate.verify(authority.publicKey)) return false;
  const hasHost = (host: string): boolean => certificate.checkHost(host, { subject: "never" }) !== undefined;
  return names.dns.every(hasHost) && names.ip.every((ip) => certificate.checkIP(ip) !== undefined);
}

/** Undefined for what is damaged or does not belong together. */
function parsePair({ cert, key }: KeyPair): { certificate: X509Certificate; privateKey: KeyObject } | undefined {
  try {
    const certificate = new X509Certificate(cert);
    const privateKey = createPrivateKey(key);
    return createPublicKey(privateKey).equals(certificate.publicKey) ? { certificate, privateKey } : undefined;
  } catch {
    return undefined;
  }
}

const needsRenewal = (certificate: X509Certificate, now: number): boolean => Date.parse(certificate.validTo) - now < renewMs;
