/**
 * A request for a certificate, PKCS #10: what it asks for, and whether whoever made it has the key.
 * @see https://www.rfc-editor.org/rfc/rfc2986
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { DerError, type Element } from "../der/reader.ts";
import { type AlternativeNames, type CertificateRequest, readCertificateRequest, requestInPem } from "../x509/certificate-request.ts";
import type { Attribute } from "../x509/name.ts";

/** A request whose signature was verified with its own key. */
export interface SigningRequest {
  readonly subject: readonly Attribute[];
  readonly publicKey: KeyObject;
  readonly names: AlternativeNames;
}

/** The request cannot be read, or is not signed with its own key; the message says which. */
export class SigningRequestError extends Error {}

/** What each signature algorithm is made of. */
const algorithms: Readonly<Record<string, { readonly digest: string | null; readonly key: string }>> = {
  __proto__: null as never,
  "1.2.840.10045.4.3.2": { digest: "sha256", key: "ec" },
  "1.2.840.10045.4.3.3": { digest: "sha384", key: "ec" },
  "1.2.840.10045.4.3.4": { digest: "sha512", key: "ec" },
  "1.2.840.113549.1.1.11": { digest: "sha256", key: "rsa" },
  "1.2.840.113549.1.1.12": { digest: "sha384", key: "rsa" },
  "1.2.840.113549.1.1.13": { digest: "sha512", key: "rsa" },
  "1.3.101.112": { digest: null, key: "ed25519" },
};

/** `base64` of PEM, as `spec.request` has it. @throws SigningRequestError */
export function parseSigningRequest(base64: string): SigningRequest {
  const pem = Buffer.from(base64, "base64").toString("latin1");
  const body = requestInPem(pem);
  if (body === undefined) throw new SigningRequestError("PEM block type must be CERTIFICATE REQUEST");
  try {
    return read(Buffer.from(body, "base64"));
  } catch (error) {
    throw error instanceof DerError ? new SigningRequestError(error.message) : error;
  }
}

function read(der: Uint8Array): SigningRequest {
  const { subject, names, publicKey, signature } = readCertificateRequest(der);
  const key = readKey(publicKey);
  checkSignature(signature, key);
  return { subject, publicKey: key, names };
}

/** OpenSSL's names for P-256, P-384 and P-521: other curves are not accepted. */
const curves: readonly unknown[] = ["prime256v1", "secp384r1", "secp521r1"];
const minRsaBits = 1024;

function readKey({ whole }: Element): KeyObject {
  const key = parsedKey(whole);
  const { namedCurve, modulusLength = minRsaBits } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "ec" && !curves.includes(namedCurve)) throw new SigningRequestError("x509: unsupported elliptic curve");
  if (modulusLength < minRsaBits) throw new SigningRequestError(`crypto/rsa: ${modulusLength}-bit keys are insecure`);
  return key;
}

function parsedKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  } catch {
    throw new SigningRequestError("x509: failed to parse public key");
  }
}

function checkSignature({ of, algorithm, value }: CertificateRequest["signature"], key: KeyObject): void {
  const known = algorithms[algorithm];
  if (known === undefined) throw new SigningRequestError("x509: cannot verify signature: algorithm unimplemented");
  if (known.key !== key.asymmetricKeyType) throw new SigningRequestError("x509: signature algorithm specifies another type of public key");
  if (!isSigned(known.digest, of, key, value)) throw new SigningRequestError("x509: signature verification failure");
}

/** OpenSSL throws for keys that it does not work with, such as RSA keys of more than 16,384 bits. */
function isSigned(digest: string | null, signed: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  try {
    return verify(digest, signed, key, signature);
  } catch {
    return false;
  }
}
