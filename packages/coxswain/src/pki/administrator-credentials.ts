/** The administrator's client certificate: what most clients expect to find in a kubeconfig. Kept between starts. */
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { nameWith } from "@coxswain/pki";
import { dayMs, issuePair, issuerOf, type KeyPair } from "@coxswain/pki/node";
import type { PemStore } from "./credentials.ts";

const files = { cert: "admin.crt", key: "admin.key" };
/** Renewed when a restart finds less than this left. */
const renewMs = 30 * dayMs;

interface Administrator {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * `now` in milliseconds since the epoch. The key is in the form of RFC 5915: clients in Java read the kind of key from that.
 */
export function administratorCredentials(store: PemStore, authority: KeyPair, { name, groups }: Administrator, now: number): KeyPair {
  const [cert, key] = [store.read(files.cert), store.read(files.key)];
  if (cert !== undefined && key !== undefined && isGood(cert, key, authority, now)) return { cert, key };
  const made = issuePair(issuerOf(authority), { subject: nameWith(name, groups), usage: "client auth" }, now);
  const own = { cert: made.cert, key: createPrivateKey(made.key).export({ format: "pem", type: "sec1" }).toString() };
  store.write(files.key, own.key);
  store.write(files.cert, own.cert);
  return own;
}

function isGood(cert: string, key: string, authority: KeyPair, now: number): boolean {
  try {
    const certificate = new X509Certificate(cert);
    return (
      createPublicKey(createPrivateKey(key)).equals(certificate.publicKey) &&
      certificate.verify(new X509Certificate(authority.cert).publicKey) &&
      Date.parse(certificate.validTo) - now >= renewMs
    );
  } catch {
    // Damaged.
    return false;
  }
}
