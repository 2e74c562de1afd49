/** What is stored of a value whose key a key management service has encrypted: a message of protobuf. */
import { TransformError } from "@coxswain/store";

/** The encrypted seed of a key, and what the service needs to decrypt it. */
export interface EncryptedSeed {
  readonly keyId: string;
  readonly encryptedSeed: Uint8Array;
  readonly annotations: Readonly<Record<string, Uint8Array>>;
  /** `key`: no seed, but the key itself. */
  readonly type: "key" | "seed";
}

export interface EncryptedObject extends EncryptedSeed {
  readonly data: Uint8Array;
}

const field = { data: 1, keyId: 2, encryptedSeed: 3, annotations: 4, type: 5 };

export function encodeEncryptedObject({ data, keyId, encryptedSeed, annotations, type }: EncryptedObject): Uint8Array {
  const entries = Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat([
    delimited(field.data, data),
    delimited(field.keyId, Buffer.from(keyId)),
    delimited(field.encryptedSeed, encryptedSeed),
    ...entries.map(([key, value]) => delimited(field.annotations, Buffer.concat([delimited(1, Buffer.from(key)), delimited(2, value)]))),
    ...(type === "seed" ? [new Uint8Array([field.type << 3, 1])] : []),
  ]);
}

/** @throws TransformError for what is no such message, or lacks something */
export function decodeEncryptedObject(bytes: Uint8Array): EncryptedObject {
  const annotations: Record<string, Uint8Array> = Object.create(null);
  let data: Uint8Array = new Uint8Array();
  let encryptedSeed: Uint8Array = new Uint8Array();
  let keyId = "";
  let type: EncryptedObject["type"] = "key";
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === field.type && typeof value === "number") type = typeOf(value);
    else if (typeof value === "number") continue;
    else if (number === field.data) data = value;
    else if (number === field.keyId) keyId = textOf(value);
    else if (number === field.encryptedSeed) encryptedSeed = value;
    else if (number === field.annotations) {
      const [key, content] = annotationOf(value);
      annotations[key] = content;
    }
  }
  if (data.byteLength === 0) throw new TransformError("encrypted data is empty after unmarshal");
  if (encryptedSeed.byteLength === 0) throw new TransformError("failed to validate encrypted DEK source: encrypted DEK source is empty");
  if (keyId === "") throw new TransformError("failed to validate key id: keyID is empty");
  return { data, keyId, encryptedSeed, annotations, type };
}

function typeOf(value: number): EncryptedObject["type"] {
  if (value > 1) throw new TransformError(`unknown encrypted DEK source type: ${value}`);
  return value === 1 ? "seed" : "key";
}

function annotationOf(bytes: Uint8Array): readonly [string, Uint8Array] {
  let key = "";
  let content: Uint8Array = new Uint8Array();
  for (const { number, value } of fieldsOf(bytes)) {
    if (typeof value === "number") continue;
    if (number === 1) key = textOf(value);
    else if (number === 2) content = value;
  }
  return [key, content];
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

function delimited(number: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([new Uint8Array([(number << 3) | 2]), varint(value.byteLength), value]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) return new Uint8Array(bytes);
  }
}

interface Field {
  readonly number: number;
  readonly value: number | Uint8Array;
}

/** Varints and bytes: the message has nothing else. */
function* fieldsOf(bytes: Uint8Array): Generator<Field, void, undefined> {
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw malformed();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw malformed();
  };
  while (at < bytes.byteLength) {
    const tag = readVarint();
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) yield { number, value: readVarint() };
    else if (wire === 2) {
      const end = readVarint() + at;
      if (end > bytes.byteLength) throw malformed();
      yield { number, value: bytes.subarray(at, end) };
      at = end;
    } else throw malformed();
  }
}

const malformed = (): TransformError => new TransformError("proto: cannot parse invalid wire-format data");
