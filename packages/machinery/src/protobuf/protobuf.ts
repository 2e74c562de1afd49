/**
 * Kubernetes' protobuf: an envelope of four magic bytes and a message that names the kind and carries the object.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */

import { parseJson } from "../json/json.ts";
import type { KubeObject } from "../meta/meta.ts";
import { parseApiVersion } from "../meta/meta.ts";
import type { TypeSet } from "../types/compile.ts";
import { decodeInto } from "../types/decode.ts";
import { DecodeReport } from "../types/decode-report.ts";
import type { StructType } from "../types/type.ts";
import { DecodeError } from "../values/decode-error.ts";
import type { JsonObject } from "../values/json-object.ts";
import { planMessages } from "./message.ts";
import { ProtobufReader } from "./reader.ts";
import { compileWireTypes } from "./types.ts";
import { isEnvelope } from "./value.ts";
import { ProtobufWriter } from "./writer.ts";

/** What the envelope says; empty strings where it is silent. */
export interface ProtobufEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  /** `raw` is a protobuf message unless this names JSON. */
  readonly contentType: string;
}

/** What an object says it is: its apiVersion and its kind. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Reads and writes objects as `application/vnd.kubernetes.protobuf`. */
export interface ProtobufCodec {
  /** Built-in types, and those that only the wire knows, such as PartialObjectMetadata. */
  typeOf(apiVersion: string, kind: string): StructType | undefined;
  /** @throws DecodeError */
  decodeEnvelope(bytes: Uint8Array): ProtobufEnvelope;
  /** The form that decodeInto gives, without kind and apiVersion. @throws DecodeError */
  decodeMessage(type: StructType, raw: Uint8Array): JsonObject;
  /** An envelope's object; `fallback` names what the envelope leaves empty. @throws DecodeError */
  decode(bytes: Uint8Array, fallback?: TypeMeta): KubeObject;
  encodeMessage(type: StructType, object: Readonly<JsonObject>): Uint8Array;
  encodeEnvelope(meta: TypeMeta, raw: Uint8Array): Uint8Array;
  /** With the envelope, which takes kind and apiVersion from the object. */
  encode(type: StructType, object: Readonly<JsonObject>): Uint8Array;
  /** A list's envelope in pieces, so that items need not be copied together. `items` are messages, `metadata` a ListMeta. */
  encodeList(meta: TypeMeta, metadata: Readonly<JsonObject>, items: readonly Uint8Array[]): Uint8Array[];
}

/** Makes a codec for these types; `wire` has the numbers of their fields. */
export function createProtobufCodec(types: TypeSet, wire: unknown): ProtobufCodec {
  const wireTypes = compileWireTypes(wire, types);
  const messageOf = planMessages((bytes) => decode(bytes));
  const listMeta = types.get("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta");

  function typeOf(apiVersion: string, kind: string): StructType | undefined {
    const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: "" };
    return types.byKind(group, version, kind) ?? wireTypes.get(kind);
  }

  function decodeMessage(type: StructType, raw: Uint8Array): JsonObject {
    const message = messageOf(type);
    const reader = new ProtobufReader(raw);
    const object: JsonObject = {};
    while (!reader.done) message.readField(reader, object);
    message.complete(object);
    return object;
  }

  function decode(bytes: Uint8Array, fallback: TypeMeta = { apiVersion: "", kind: "" }): KubeObject {
    const envelope = decodeEnvelope(bytes);
    const kind = envelope.kind || fallback.kind;
    const apiVersion = envelope.apiVersion || fallback.apiVersion;
    const type = typeOf(apiVersion, kind);
    if (type === undefined) throw new DecodeError(`no kind "${kind}" is registered for version "${apiVersion}"`);
    const object = envelope.contentType.includes("json") ? decodeJson(type, envelope.raw) : decodeMessage(type, envelope.raw);
    return Object.assign(object, { kind, apiVersion });
  }

  function encodeMessage(type: StructType, object: Readonly<JsonObject>): Uint8Array {
    const writer = new ProtobufWriter();
    messageOf(type).write(writer, object);
    return writer.finish();
  }

  function encode(type: StructType, object: Readonly<JsonObject>): Uint8Array {
    const writer = new ProtobufWriter();
    writeTrailer(writer);
    const start = writer.mark;
    messageOf(type).write(writer, object);
    writer.lengthSince(start);
    writeHeader(writer, { apiVersion: text(object.apiVersion), kind: text(object.kind) });
    return writer.finish();
  }

  function encodeList(meta: TypeMeta, metadata: Readonly<JsonObject>, items: readonly Uint8Array[]): Uint8Array[] {
    const heads = items.map((item) => headerOf(2, item.length));
    const listMetadata = lengthDelimited(1, listMeta === undefined ? new Uint8Array() : encodeMessage(listMeta, metadata));
    const length = items.reduce((sum, item, i) => sum + item.length + (heads[i]?.length ?? 0), listMetadata.length);
    const head = new ProtobufWriter();
    head.raw(listMetadata);
    head.varint(length);
    writeHeader(head, meta);
    const trailer = new ProtobufWriter();
    writeTrailer(trailer);
    return [head.finish(), ...items.flatMap((item, i) => [heads[i] ?? new Uint8Array(), item]), trailer.finish()];
  }

  return { typeOf, decodeEnvelope, decodeMessage, decode, encodeMessage, encodeEnvelope, encode, encodeList };
}

/**
 * One frame of a protobuf watch: four bytes of length, then a WatchEvent around the object's envelope.
 * @param type ADDED, MODIFIED, DELETED, BOOKMARK or ERROR
 */
export function encodeWatchEvent(type: string, envelope: Uint8Array): Uint8Array {
  const writer = new ProtobufWriter();
  const start = writer.mark;
  writer.bytes(envelope);
  writer.tag(1, 2);
  writer.lengthSince(start);
  writer.tag(2, 2);
  writer.string(type);
  writer.tag(1, 2);
  const length = writer.mark;
  writer.raw(Uint8Array.of((length >>> 24) & 255, (length >>> 16) & 255, (length >>> 8) & 255, length & 255));
  return writer.finish();
}

function decodeEnvelope(bytes: Uint8Array): ProtobufEnvelope {
  if (bytes.length === 0) throw new DecodeError("empty data");
  if (!isEnvelope(bytes)) {
    throw new DecodeError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  const reader = new ProtobufReader(bytes.subarray(4));
  const found = { apiVersion: "", kind: "", raw: bytes.subarray(0, 0), contentEncoding: "", contentType: "" };
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === 0o12) reader.message(() => readTypeMeta(reader, found));
    else if (tag === 0o22) found.raw = reader.bytes();
    else if (tag === 0o32) found.contentEncoding = reader.string();
    else if (tag === 0o42) found.contentType = reader.string();
    else reader.skip(tag & 7);
  }
  return found;
}

function readTypeMeta(reader: ProtobufReader, found: { apiVersion: string; kind: string }): void {
  const tag = reader.tag();
  if (tag === 0o12) found.apiVersion = reader.string();
  else if (tag === 0o22) found.kind = reader.string();
  else reader.skip(tag & 7);
}

function decodeJson(type: StructType, raw: Uint8Array): JsonObject {
  const value = parseJson(raw);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new DecodeError("the object in the envelope is no JSON object");
  const object = value as JsonObject;
  decodeInto(type, object, new DecodeReport());
  return object;
}

function encodeEnvelope(meta: TypeMeta, raw: Uint8Array): Uint8Array {
  const writer = new ProtobufWriter();
  writeTrailer(writer);
  writer.bytes(raw);
  writeHeader(writer, meta);
  return writer.finish();
}

/** What follows `raw`: no content encoding, no content type, as Kubernetes writes them. */
function writeTrailer(writer: ProtobufWriter): void {
  writer.string("");
  writer.tag(4, 2);
  writer.string("");
  writer.tag(3, 2);
}

/** The tag of `raw`, whose length is written, and all that comes before it. */
function writeHeader(writer: ProtobufWriter, { apiVersion, kind }: TypeMeta): void {
  writer.tag(2, 2);
  const start = writer.mark;
  writer.string(kind);
  writer.tag(2, 2);
  writer.string(apiVersion);
  writer.tag(1, 2);
  writer.lengthSince(start);
  writer.tag(1, 2);
  writer.raw(Uint8Array.of(0x6b, 0x38, 0x73, 0));
}

function lengthDelimited(field: number, bytes: Uint8Array): Uint8Array {
  const writer = new ProtobufWriter();
  writer.bytes(bytes);
  writer.tag(field, 2);
  return writer.finish();
}

function headerOf(field: number, length: number): Uint8Array {
  const writer = new ProtobufWriter();
  writer.varint(length);
  writer.tag(field, 2);
  return writer.finish();
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
