/** Authorities and certificates of clients as tests need them, and connections that came with them. */
import { X509Certificate } from "node:crypto";
import { nameWith } from "@coxswain/pki";
import { exportKey, type Issuer, issueCertificate, type Keys, newKeys, newSerial, noNames } from "@coxswain/pki/node";
import type { ClientCertificate } from "../contracts/http.ts";

export interface TestAuthority extends Issuer {
  readonly pem: string;
  readonly key: string;
}

interface Given {
  readonly now: number;
  readonly keys?: Keys;
}

export function authority(name: string, given: Given, issuer?: Issuer): TestAuthority {
  const { keys = newKeys() } = given;
  const subject = nameWith(name);
  const own = { subject, ...keys };
  return { ...own, pem: issue(own, keys, issuer ?? own, { ...given, isAuthority: true }), key: exportKey(keys.privateKey) };
}

/** The certificate of a client with its key. */
export function client(name: string, groups: readonly string[], issuer: Issuer, given: Given): { cert: string; key: string } {
  const { keys = newKeys() } = given;
  const cert = issue({ subject: nameWith(name, groups) }, keys, issuer, { ...given, isAuthority: false });
  return { cert, key: exportKey(keys.privateKey) };
}

function issue(
  { subject }: Pick<Issuer, "subject">,
  keys: Keys,
  issuer: Issuer,
  { now, isAuthority }: Given & { readonly isAuthority: boolean },
): string {
  return issueCertificate({
    subject,
    issuer,
    publicKey: keys.publicKey,
    serial: newSerial(),
    notBefore: now - 60_000,
    notAfter: now + 600_000,
    authority: isAuthority,
    usages: isAuthority ? ["cert sign"] : ["digital signature", "client auth"],
    names: noNames,
  });
}

/** As a handshake leaves it: each certificate with the one that was sent behind it. */
export function connectedWith(...pems: readonly string[]): ClientCertificate {
  const [certificate, ...sent] = pems.map((pem) => new X509Certificate(pem));
  if (certificate === undefined) throw new Error("a client has at least one certificate");
  let last = certificate;
  for (const next of sent) {
    Object.defineProperty(last, "issuerCertificate", { value: next });
    last = next;
  }
  return { certificate, problem: undefined };
}
