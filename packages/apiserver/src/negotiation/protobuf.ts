/** The protobuf side of bodies and answers, over the built-in types. */
import { builtinTypes, wireFacts } from "@coxswain/api";
import {
  createProtobufCodec,
  encodeWatchEvent,
  failure,
  type KubeObject,
  type ListMeta,
  type ProtobufCodec,
  ProtobufReader,
  type TypeMeta,
} from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";

let made: ProtobufCodec | undefined;

/** Made with the first message: many clients never send one. */
function codec(): ProtobufCodec {
  made ??= createProtobufCodec(builtinTypes, wireFacts);
  return made;
}

/** What has an envelope that leaves nothing empty, as stored objects have. @throws DecodeError */
export function decodeStored(bytes: Uint8Array): KubeObject {
  const { kind, apiVersion, raw } = codec().decodeEnvelope(bytes);
  if (kind !== "RangeAllocation" || apiVersion !== "v1") return codec().decode(bytes);
  const object: RangeAllocation = { kind, apiVersion, metadata: {}, ...readRangeAllocation(raw) };
  return object;
}

/** A type that no resource has; only the API server itself reads and writes it. */
interface RangeAllocation extends KubeObject {
  readonly range: string;
  /** Base64. */
  readonly data: string;
}

function readRangeAllocation(raw: Uint8Array): Pick<RangeAllocation, "range" | "data"> {
  const found = { range: "", data: "" };
  for (const reader = new ProtobufReader(raw); !reader.done; ) {
    const tag = reader.tag();
    if (tag === 0o22) found.range = reader.string();
    else if (tag === 0o32) found.data = Buffer.from(reader.bytes()).toString("base64");
    else reader.skip(tag & 7);
  }
  return found;
}

/** A body on a resource; what its envelope leaves empty is the resource's. @throws DecodeError */
export function decodeProtobuf(bytes: Uint8Array, { definition, apiVersion, type, alsoIn }: ServedResource): KubeObject {
  const { kind } = definition;
  if (alsoIn !== undefined) {
    const envelope = codec().decodeEnvelope(bytes);
    if (envelope.kind === kind && alsoIn.includes(envelope.apiVersion))
      return Object.assign(codec().decodeMessage(type, envelope.raw), { apiVersion, kind });
  }
  return codec().decode(bytes, { apiVersion, kind });
}

/** Options such as DeleteOptions, under whatever group's apiVersion they come. @throws DecodeError */
export function decodeProtobufOptions(bytes: Uint8Array, kind: string): KubeObject {
  const envelope = codec().decodeEnvelope(bytes);
  const meta: TypeMeta = { apiVersion: envelope.apiVersion || "v1", kind: envelope.kind || kind };
  const type = codec().typeOf(meta.apiVersion, kind) ?? codec().typeOf("meta.k8s.io/v1", kind);
  return Object.assign(type === undefined ? {} : codec().decodeMessage(type, envelope.raw), meta);
}

/** With the envelope; the oldest documents of discovery name no apiVersion. @throws 406 for what has no message, as custom resources have none */
export function encodeProtobuf(object: KubeObject): Uint8Array {
  const { apiVersion = "", kind = "" } = object;
  const type = codec().typeOf(apiVersion || "v1", kind);
  if (type === undefined)
    throw failure(
      406,
      "NotAcceptable",
      `object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
    );
  return codec().encode(type, object);
}

/** How to encode a list item by item; undefined for what has no message. */
export function protobufListOf({ apiVersion = "", kind = "" }: KubeObject, item: TypeMeta): ProtobufList | undefined {
  const type = codec().typeOf(item.apiVersion, item.kind);
  if (type === undefined || codec().typeOf(apiVersion, kind) === undefined) return undefined;
  return {
    encodeItem: (object) => codec().encodeMessage(type, object),
    finish: (metadata, items) => Buffer.concat(codec().encodeList({ apiVersion, kind }, { ...metadata }, items)),
  };
}

/** A list of which the items are messages already. */
export interface ProtobufList {
  encodeItem(object: KubeObject): Uint8Array;
  finish(metadata: ListMeta, items: readonly Uint8Array[]): Uint8Array;
}

export const frameWatchEvent = (type: string, object: Uint8Array): Uint8Array => encodeWatchEvent(type, object);
