/**
 * A request for a certificate, PKCS #10: what it asks for, and whether whoever made it has the key.
 * @see https://www.rfc-editor.org/rfc/rfc2986
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { DerError, type Element, expect, partsOf, readBitString, readElement, readObjectIdentifier, readText, tags } from "./der-reader.ts";
import { type Attribute, readName } from "./distinguished-name.ts";

export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly email: readonly string[];
  readonly uri: readonly string[];
  /** As they stand in certificates: 4 or 16 bytes. */
  readonly ip: readonly Uint8Array[];
}

export interface SigningRequest {
  readonly subject: readonly Attribute[];
  readonly publicKey: KeyObject;
  readonly names: AlternativeNames;
}

/** The request cannot be read, or is not signed with its own key. The message tells which. */
export class SigningRequestError extends Error {}

const extensionRequest = "1.2.840.113549.1.9.14";
const subjectAltName = "2.5.29.17";

/** What each signature algorithm is made of. */
const algorithms: Readonly<Record<string, { readonly digest: string | null; readonly key: string }>> = {
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
  const [, body] = /-----BEGIN CERTIFICATE REQUEST-----([\s\S]*?)-----END CERTIFICATE REQUEST-----/.exec(pem) ?? [];
  if (body === undefined) throw new SigningRequestError("PEM block type must be CERTIFICATE REQUEST");
  try {
    return read(Buffer.from(body, "base64"));
  } catch (error) {
    throw error instanceof DerError ? new SigningRequestError(error.message) : error;
  }
}

function read(der: Uint8Array): SigningRequest {
  const [info, algorithm, signature] = partsOf(readElement(der, tags.sequence), tags.sequence);
  const [, subject, key, attributes] = partsOf(info, tags.sequence);
  const publicKey = readKey(expect(key, tags.sequence));
  checkSignature(expect(info, tags.sequence).whole, readBitString(signature), partsOf(algorithm, tags.sequence)[0], publicKey);
  return { subject: readName(subject), publicKey, names: readNames(attributes) };
}

/** OpenSSL's names for P-256, P-384 and P-521: nobody brings a curve of their own. */
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

function checkSignature(signed: Uint8Array, signature: Uint8Array, algorithm: Element | undefined, key: KeyObject): void {
  const known = algorithms[readObjectIdentifier(algorithm)];
  if (known === undefined) throw new SigningRequestError("x509: cannot verify signature: algorithm unimplemented");
  if (known.key !== key.asymmetricKeyType) throw new SigningRequestError("x509: signature algorithm specifies another type of public key");
  if (!isSigned(known.digest, signed, key, signature)) throw new SigningRequestError("x509: signature verification failure");
}

/** OpenSSL throws for keys that it does not work with, such as RSA keys of more than 16,384 bits. */
function isSigned(digest: string | null, signed: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  try {
    return verify(digest, signed, key, signature);
  } catch {
    return false;
  }
}

/** Of the extensions that are asked for only the names count: everything else is for the signer to say. */
function readNames(attributes: Element | undefined): AlternativeNames {
  const names = { dns: [] as string[], email: [] as string[], uri: [] as string[], ip: [] as Uint8Array[] };
  if (attributes === undefined) return names;
  for (const attribute of partsOf(attributes, 0xa0)) {
    const [type, values] = partsOf(attribute, tags.sequence);
    if (readObjectIdentifier(type) !== extensionRequest) continue;
    for (const extension of partsOf(values, tags.set).flatMap((list) => partsOf(list, tags.sequence))) {
      const parts = partsOf(extension, tags.sequence);
      if (readObjectIdentifier(parts[0]) === subjectAltName) addNames(names, expect(parts.at(-1), tags.octetString).content);
    }
  }
  return names;
}

/** Names of other sorts are left out. */
function addNames(names: { dns: string[]; email: string[]; uri: string[]; ip: Uint8Array[] }, extension: Uint8Array): void {
  for (const { tag, content } of partsOf(readElement(extension, tags.sequence), tags.sequence)) {
    if (tag === 0x87) {
      if (content.byteLength !== 4 && content.byteLength !== 16) throw new DerError("x509: cannot parse IP address");
      names.ip.push(content);
      continue;
    }
    const list = tag === 0x81 ? names.email : tag === 0x82 ? names.dns : tag === 0x86 ? names.uri : undefined;
    list?.push(ascii(content));
  }
}

function ascii(content: Uint8Array): string {
  if (content.some((byte) => byte >= 0x80)) throw new DerError("x509: SAN is malformed");
  return readText({ tag: 22, content, whole: content }) ?? "";
}
