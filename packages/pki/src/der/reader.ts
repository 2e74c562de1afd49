/** Reads ASN.1 in its distinguished encoding: the input is not trusted. */

/** One element of DER: a view of the bytes that were read, not a copy. */
export interface Element {
  /** The identifier byte: class, form and number. */
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length, as it stands. */
  readonly whole: Uint8Array;
}

/** Bytes are not the DER that was expected; the message is what Go's `encoding/asn1` says of them. */
export class DerError extends Error {}

/** The identifier bytes of the universal types that certificates are made of. */
export const tags = { boolean: 0x01, integer: 0x02, bitString: 0x03, octetString: 0x04, oid: 0x06, sequence: 0x30, set: 0x31 } as const;

/** The one element that the bytes are. @throws DerError */
export function readElement(bytes: Uint8Array, tag: number): Element {
  const [only, ...more] = readElements(bytes);
  if (only === undefined) throw new DerError("asn1: syntax error: sequence truncated");
  if (more.length > 0) throw new DerError("asn1: syntax error: trailing data");
  return expect(only, tag);
}

/** The parts of a sequence or a set. @throws DerError */
export const partsOf = (element: Element | undefined, tag: number): Element[] => readElements(expect(element, tag).content);

/** Returns the element when it has the tag. @throws DerError when it has another one, or there is none */
export function expect(element: Element | undefined, tag: number): Element {
  if (element?.tag !== tag) throw new DerError("asn1: structure error: tags don't match");
  return element;
}

/** What stands one behind the other. @throws DerError */
export function readElements(bytes: Uint8Array): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const element = readAt(bytes, at);
    elements.push(element);
    at += element.whole.byteLength;
  }
  return elements;
}

function readAt(bytes: Uint8Array, start: number): Element {
  const tag = bytes[start] ?? 0;
  if ((tag & 0x1f) === 0x1f) throw new DerError("asn1: structure error: tag number is not supported");
  let at = start + 1;
  let length = bytes[at++];
  if (length === undefined) throw new DerError("asn1: syntax error: data truncated");
  if (length >= 0x80) {
    const digits = length & 0x7f;
    if (digits === 0 || digits > 4) throw new DerError("asn1: structure error: length is not supported");
    length = 0;
    for (let i = 0; i < digits; i++) length = length * 256 + (bytes[at++] ?? 0);
    if (length < 0x80) throw new DerError("asn1: structure error: non-minimal length");
  }
  const end = at + length;
  if (end > bytes.byteLength) throw new DerError("asn1: syntax error: data truncated");
  return { tag, content: bytes.subarray(at, end), whole: bytes.subarray(start, end) };
}

/** Returns the identifier with dots: `2.5.4.3`. @throws DerError */
export function readObjectIdentifier(element: Element | undefined): string {
  const arcs: number[] = [];
  let arc = 0;
  const { content } = expect(element, tags.oid);
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(arc)) throw new DerError("asn1: structure error: base 128 integer too large");
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const [first, ...rest] = arcs;
  if (first === undefined || (content.at(-1) ?? 0) >= 0x80) throw new DerError("asn1: syntax error: truncated base 128 integer");
  return first < 80 ? [Math.floor(first / 40), first % 40, ...rest].join(".") : [2, first - 80, ...rest].join(".");
}

/** Whole bytes only, as signatures are. */
export function readBitString(element: Element | undefined): Uint8Array {
  const { content } = expect(element, tags.bitString);
  if (content[0] !== 0) throw new DerError("asn1: syntax error: invalid padding bits in BIT STRING");
  return content.subarray(1);
}

/** By tag: UTF8String, NumericString, PrintableString, T61String, IA5String, BMPString. */
const encodings: Readonly<Record<number, string>> = { 12: "utf-8", 18: "utf-8", 19: "utf-8", 20: "latin1", 22: "utf-8", 30: "utf-16be" };

/** Undefined for what is no text. @throws DerError */
export function readText({ tag, content }: Element): string | undefined {
  const encoding = encodings[tag];
  if (encoding === undefined) return undefined;
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new DerError("asn1: structure error: invalid string");
  }
}
