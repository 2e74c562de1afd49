/**
 * What a request for a certificate asks for, PKCS #10. Whether it is signed with its own key is for others to check.
 * @see https://www.rfc-editor.org/rfc/rfc2986
 */
import {
  DerError,
  type Element,
  expect,
  partsOf,
  readBitString,
  readElement,
  readObjectIdentifier,
  readText,
  tags,
} from "../der/reader.ts";
import { type Attribute, readName } from "./name.ts";
import { pemBlocks } from "./pem.ts";

/** Subject alternative names, by type. @see https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.6 */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly email: readonly string[];
  readonly uri: readonly string[];
  /** As they stand in certificates: 4 or 16 bytes. */
  readonly ip: readonly Uint8Array[];
}

/** What a PKCS #10 request contains, its signature unverified. */
export interface CertificateRequest {
  readonly subject: readonly Attribute[];
  readonly names: AlternativeNames;
  /** With its algorithm, as SubjectPublicKeyInfo. */
  readonly publicKey: Element;
  readonly signature: { readonly of: Uint8Array; readonly algorithm: string; readonly value: Uint8Array };
}

/** What stands between the lines of its PEM block, in base64; undefined when there is none. */
export const requestInPem = (pem: string): string | undefined => pemBlocks(pem).find(({ type }) => type === "CERTIFICATE REQUEST")?.body;

/** Reads a PKCS #10 request in DER; nothing is verified. @throws DerError */
export function readCertificateRequest(der: Uint8Array): CertificateRequest {
  checkOutermost(der);
  const [info, algorithm, signature] = partsOf(readElement(der, tags.sequence), tags.sequence);
  const [, subject, key, attributes] = partsOf(info, tags.sequence);
  return {
    subject: readName(subject),
    names: readNames(attributes),
    publicKey: expect(key, tags.sequence),
    signature: {
      of: expect(info, tags.sequence).whole,
      algorithm: readObjectIdentifier(partsOf(algorithm, tags.sequence)[0]),
      value: readBitString(signature),
    },
  };
}

/** What is no sequence at all is reported as Go does it, with all that it knows of the tag. @throws DerError */
function checkOutermost([identifier = 0, length]: Uint8Array): void {
  const number = identifier & 0x1f;
  if (identifier === tags.sequence || number === 0x1f || length === undefined || length >= 0x80) return;
  const found = `{class:${identifier >> 6} tag:${number} length:${length} isCompound:${(identifier & 0x20) !== 0}}`;
  const wanted =
    "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}";
  throw new DerError(`asn1: structure error: tags don't match (16 vs ${found}) ${wanted} certificateRequest @2`);
}

const extensionRequest = "1.2.840.113549.1.9.14";
const subjectAltName = "2.5.29.17";

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
