/** Asks for a certificate. @see https://www.rfc-editor.org/rfc/rfc2986 */
import { type KeyObject, sign } from "node:crypto";
import { bitString, explicit, implicit, integer, objectIdentifier, octetString, sequence, set } from "../der/writer.ts";
import type { AlternativeNames } from "../x509/certificate-request.ts";

const oid = { ecdsaWithSha256: "1.2.840.10045.4.3.2", extensionRequest: "1.2.840.113549.1.9.14", subjectAltName: "2.5.29.17" };

/** What to ask for, and the key to sign with. */
export interface WrittenRequest {
  /** A distinguished name, encoded. */
  readonly subject: Uint8Array;
  readonly names: AlternativeNames;
  readonly publicKey: KeyObject;
  /** EC P-256. */
  readonly privateKey: KeyObject;
}

/** Returns a signed PKCS #10 request in PEM. */
export function writeSigningRequest({ subject, names, publicKey, privateKey }: WrittenRequest): string {
  const info = requestInfo(subject, publicKey, names);
  const signature = sign("sha256", info, privateKey);
  return pemOfRequest(sequence(info, sequence(objectIdentifier(oid.ecdsaWithSha256)), bitString(signature)));
}

/** What is signed. */
export const requestInfo = (subject: Uint8Array, publicKey: KeyObject, names: AlternativeNames): Uint8Array =>
  sequence(integer(Uint8Array.of(0)), subject, publicKey.export({ format: "der", type: "spki" }), explicit(0, ...extensionRequest(names)));

function extensionRequest({ dns, email, uri, ip }: AlternativeNames): Uint8Array[] {
  const names = [
    ...email.map((name) => implicit(1, Buffer.from(name))),
    ...dns.map((name) => implicit(2, Buffer.from(name))),
    ...uri.map((name) => implicit(6, Buffer.from(name))),
    ...ip.map((bytes) => implicit(7, bytes)),
  ];
  if (names.length === 0) return [];
  const extension = sequence(objectIdentifier(oid.subjectAltName), octetString(sequence(...names)));
  return [sequence(objectIdentifier(oid.extensionRequest), set(sequence(extension)))];
}

export const pemOfRequest = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
