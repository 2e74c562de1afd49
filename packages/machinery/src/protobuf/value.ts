/**
 * How each scalar travels. Times, quantities, int-or-strings and raw JSON are messages in protobuf and text in JSON.
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/generated.proto
 */

import { parseJson, stringifyAsGo } from "../json/json.ts";
import { canonicalQuantity } from "../quantity/quantity.ts";
import { formatMicroTime, formatTime, type Instant, parseMicroTime, parseTime } from "../time/rfc3339.ts";
import type { Scalar } from "../types/type.ts";
import { fromBase64, toBase64 } from "../values/base64.ts";
import { DecodeError } from "../values/decode-error.ts";
import type { ProtobufReader, WireKind } from "./reader.ts";
import type { ProtobufWriter } from "./writer.ts";

export interface WireValue {
  readonly kind: WireKind;
  /** Undefined when the message means absence. `before` is what an earlier occurrence of the same field gave. */
  read(reader: ProtobufReader, before: unknown): unknown;
  /** With its length, without its tag. Null and undefined are zero. */
  write(writer: ProtobufWriter, value: unknown): void;
}

/** Decodes the envelope that a RawExtension may carry instead of JSON. */
export type ReadEnvelope = (bytes: Uint8Array) => unknown;

export const isEnvelope = (bytes: Uint8Array): boolean =>
  bytes.length >= 4 && bytes[0] === 0x6b && bytes[1] === 0x38 && bytes[2] === 0x73 && bytes[3] === 0;

export function scalarWireValues(readEnvelope: ReadEnvelope): Readonly<Record<Scalar, WireValue>> {
  const raw = rawJson(readEnvelope);
  return { string, boolean, int32, int64, double, bytes, time, microTime, quantity, intOrString, object: raw, any: raw };
}

const string: WireValue = {
  kind: 2,
  read: (reader) => reader.string(),
  write: (writer, value) => writer.string(typeof value === "string" ? value : ""),
};

const boolean: WireValue = {
  kind: 0,
  read: (reader) => reader.boolean(),
  write: (writer, value) => writer.varint(value === true ? 1 : 0),
};

const int32: WireValue = {
  kind: 0,
  read: (reader) => reader.int32(),
  write: (writer, value) => writer.varint(typeof value === "number" ? value : 0),
};

const int64: WireValue = {
  kind: 0,
  read: (reader) => reader.int64(),
  write: (writer, value) => writer.varint(typeof value === "number" || typeof value === "bigint" ? value : 0),
};

const double: WireValue = {
  kind: 1,
  read: (reader) => reader.double(),
  write: (writer, value) => writer.double(typeof value === "number" ? value : 0),
};

const bytes: WireValue = {
  kind: 2,
  read: (reader) => toBase64(reader.bytes()),
  write: (writer, value) => writer.bytes(fromBase64(typeof value === "string" ? value : "")),
};

/** Seconds and nanoseconds; the empty message is the zero time. */
const timestamp = (format: (at: Instant) => string | undefined, parse: (text: string) => Instant): WireValue => ({
  kind: 2,
  read(reader) {
    let seconds: number | undefined;
    let nanos = 0;
    reader.message(() => {
      const tag = reader.tag();
      if (tag === 0o10) seconds = Number(reader.int64());
      else if (tag === 0o20) nanos = reader.int32();
      else reader.skip(tag & 7);
    });
    return seconds === undefined && nanos === 0 ? undefined : format({ seconds: seconds ?? 0, nanos });
  },
  write(writer, value) {
    const start = writer.mark;
    if (typeof value === "string") {
      const { seconds, nanos } = parse(value);
      writer.varint(nanos);
      writer.tag(2, 0);
      writer.varint(seconds);
      writer.tag(1, 0);
    }
    writer.lengthSince(start);
  },
});

const time = timestamp(formatTime, (text) => ({ ...parseTime(text), nanos: 0 }));
const microTime = timestamp(formatMicroTime, parseMicroTime);

const quantity: WireValue = {
  kind: 2,
  read(reader) {
    let text = "0";
    reader.message(() => {
      const tag = reader.tag();
      if (tag === 0o12) text = reader.string();
      else reader.skip(tag & 7);
    });
    const canonical = canonicalQuantity(text);
    if (canonical === undefined) throw new DecodeError(`unable to parse quantity ${text}`);
    return canonical;
  },
  write(writer, value) {
    const start = writer.mark;
    writer.string(typeof value === "string" ? value : "0");
    writer.tag(1, 2);
    writer.lengthSince(start);
  },
};

const intOrString: WireValue = {
  kind: 2,
  read(reader) {
    let isText = false;
    let number = 0;
    let text = "";
    reader.message(() => {
      const tag = reader.tag();
      if (tag === 0o10) isText = reader.boolean();
      else if (tag === 0o20) number = reader.int32();
      else if (tag === 0o32) text = reader.string();
      else reader.skip(tag & 7);
    });
    return isText ? text : number;
  },
  write(writer, value) {
    const start = writer.mark;
    writer.string(typeof value === "string" ? value : "");
    writer.tag(3, 2);
    writer.varint(typeof value === "number" ? value : 0);
    writer.tag(2, 0);
    writer.varint(typeof value === "string" ? 1 : 0);
    writer.tag(1, 0);
    writer.lengthSince(start);
  },
};

const encoder = new TextEncoder();

/** RawExtension, FieldsV1 and JSON: JSON's bytes in field 1. Go's controllers compare those of ControllerRevisions with their own. */
const rawJson = (readEnvelope: ReadEnvelope): WireValue => ({
  kind: 2,
  read(reader) {
    let raw: Uint8Array | undefined;
    reader.message(() => {
      const tag = reader.tag();
      if (tag === 0o12) raw = reader.bytes();
      else reader.skip(tag & 7);
    });
    if (raw === undefined || raw.length === 0) return null;
    return isEnvelope(raw) ? readEnvelope(raw) : parseJson(raw, { duplicates: "last" });
  },
  write(writer, value) {
    const start = writer.mark;
    if (value !== null && value !== undefined) {
      writer.bytes(encoder.encode(stringifyAsGo(value)));
      writer.tag(1, 2);
    }
    writer.lengthSince(start);
  },
});
