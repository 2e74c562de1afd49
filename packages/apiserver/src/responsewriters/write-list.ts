/** Lists as answers. A plain JSON list is its header and its items' stored bytes, made while the client reads. */
import { type Clock, type KubeObject, type ListMeta, stringifyJson } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { bytesReply } from "../http/exchange.ts";
import { checkMetadataShape, contentTypes } from "../negotiation/negotiate.ts";
import { type ProtobufList, protobufListOf } from "../negotiation/protobuf.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import { itemLength, type ObjectCache, sendable, writeItem } from "../storage/stored-object.ts";
import { metaApiVersion, partialObjectMetadata, partialObjectMetadataListText } from "../table/metadata.ts";
import { parseIncludeObject, tableHead, tableRows, tableText } from "../table/table.ts";
import type { ChunkMemory } from "./chunk-memory.ts";
import { encode } from "./encode.ts";
import { indentedText, type ListParts, protobufBytes, yamlText } from "./list-pieces.ts";

export const chunkBytes = 128 * 1024;

/** What lists need beside the request. */
export interface ListServices {
  readonly cache: ObjectCache;
  readonly clock: Pick<Clock, "now">;
  readonly eventLoop: EventLoop;
  readonly memory: ChunkMemory;
}

export async function writeList(services: ListServices, ctx: RequestContext, entries: readonly Entry[], meta: ListMeta): Promise<Reply> {
  const { encoding, shape, indent } = ctx.representation;
  // Lists of custom resources always contain their continue token.
  const metadata = ctx.resource.definition.custom !== undefined && shape.as === "object" ? { continue: "", ...meta } : meta;
  if (shape.as === "metadata") checkMetadataShape(shape, ctx.resource.definition, true);
  if (encoding !== "json" || indent) return writeInPieces(services, ctx, listParts(services, ctx, entries, metadata));
  const asStored = shape.as === "object" && entries.every((entry) => sendable(entry, ctx.resource));
  const chunks = asStored
    ? itemChunks(services.memory, ctx, entries, metadata)
    : textChunks(listText(services, ctx, entries, metadata), chunkSize(entries));
  return { status: 200, contentType: contentTypes.json, body: { kind: "chunks", chunks } };
}

function objects(services: ListServices, ctx: RequestContext, entries: readonly Entry[]): IteratorObject<KubeObject> {
  const { cache } = services;
  return entries.values().map((entry) => cache.objectAt(entry, ctx.resource));
}

/** In the order in which a Table shows them. */
function rows(services: ListServices, ctx: RequestContext, entries: readonly Entry[]): Iterable<KubeObject> {
  const { compareRows } = ctx.resource.definition.strategy;
  const found = objects(services, ctx, entries);
  return compareRows === undefined ? found : [...found].sort(compareRows);
}

/** The forms in which nothing is stored. */
async function writeInPieces({ eventLoop }: ListServices, ctx: RequestContext, made: ListParts): Promise<Reply> {
  const { encoding } = ctx.representation;
  if (encoding === "json") {
    const chunks = textChunks(indentedText(made), chunkBytes, "");
    return { status: 200, contentType: contentTypes.json, body: { kind: "chunks", chunks } };
  }
  const isRecorded = ctx.audit?.level === "RequestResponse";
  const parts = isRecorded ? { ...made, items: [...made.items] } : made;
  if (isRecorded) ctx.audit.responseObject = stringifyJson(wholeOf(parts));
  if (encoding === "yaml") return bytesReply(200, contentTypes.yaml, Buffer.from(await yamlText(parts, eventLoop)));
  const list = protobufListIn(ctx, parts);
  const bytes = list === undefined ? await encode(wholeOf(parts), ctx.representation) : await protobufBytes(list, parts, eventLoop);
  return bytesReply(200, contentTypes.protobuf, bytes);
}

/** Undefined where there are no messages: Tables and custom resources have none. */
function protobufListIn({ representation: { shape }, resource }: RequestContext, { head }: ListParts): ProtobufList | undefined {
  if (shape.as === "table") return undefined;
  const { definition, apiVersion } = resource;
  const isMetadata = shape.as === "metadata";
  return protobufListOf(head, {
    apiVersion: isMetadata ? metaApiVersion(shape.version) : apiVersion,
    kind: isMetadata ? "PartialObjectMetadata" : definition.kind,
  });
}

const wholeOf = ({ head, key, items }: ListParts): object => ({ ...head, [key]: [...items] });

function listParts(services: ListServices, ctx: RequestContext, entries: readonly Entry[], metadata: ListMeta): ListParts {
  const { resource, representation } = ctx;
  const { definition, apiVersion } = resource;
  const { shape } = representation;
  switch (shape.as) {
    case "object": {
      const item = itemOf(resource);
      return { head: { kind: definition.listKind, apiVersion, metadata }, key: "items", items: objects(services, ctx, entries).map(item) };
    }
    case "metadata": {
      const items = objects(services, ctx, entries).map((object) => partialObjectMetadata(definition, object, shape.version));
      return { head: { kind: "PartialObjectMetadataList", apiVersion: metaApiVersion(shape.version), metadata }, key: "items", items };
    }
    case "table": {
      const options = {
        now: services.clock.now(),
        includeObject: parseIncludeObject(ctx.query.get("includeObject")),
        metadata,
        version: shape.version,
      };
      const sources = Iterator.from(rows(services, ctx, entries)).map((object) => ({ object }));
      return { head: { ...tableHead(definition, options) }, key: "rows", items: tableRows(definition, sources, options) };
    }
  }
}

/** Items of built-in lists leave their kind to the list; those of custom resources do not. */
const itemOf = ({ definition }: ServedResource): ((object: KubeObject) => KubeObject) =>
  definition.custom === undefined ? withoutKind : (object) => object;

function withoutKind({ kind: _kind, apiVersion: _apiVersion, ...rest }: KubeObject): KubeObject {
  return rest;
}

function listText(services: ListServices, ctx: RequestContext, entries: readonly Entry[], metadata: ListMeta): Iterable<string> {
  const { resource, representation } = ctx;
  const { shape } = representation;
  switch (shape.as) {
    case "object":
      return itemsText(services, ctx, entries, metadata);
    case "metadata":
      return partialObjectMetadataListText(resource.definition, objects(services, ctx, entries), metadata, shape.version);
    case "table": {
      const includeObject = parseIncludeObject(ctx.query.get("includeObject"));
      const options = { now: services.clock.now(), includeObject, metadata, version: shape.version };
      return tableText(
        resource.definition,
        Iterator.from(rows(services, ctx, entries)).map((object) => ({ object })),
        options,
      );
    }
  }
}

/** For entries that are stored in another version than the one that was asked for. */
function* itemsText(services: ListServices, ctx: RequestContext, entries: readonly Entry[], metadata: ListMeta): Generator<string> {
  let before = listHead(ctx, metadata);
  const item = itemOf(ctx.resource);
  for (const object of objects(services, ctx, entries)) {
    yield before + stringifyJson(item(object));
    before = ",";
  }
  const tail = listTail(ctx, metadata);
  yield entries.length === 0 ? `${before}${tail}` : tail;
}

/** Lists of custom resources have their keys in the order of the alphabet too. */
function listHead({ resource }: RequestContext, metadata: ListMeta): string {
  const { definition, apiVersion } = resource;
  const opening = definition.custom === undefined ? { kind: definition.listKind, apiVersion, metadata } : { apiVersion };
  return `${stringifyJson(opening).slice(0, -1)},"items":[`;
}

const listTail = ({ resource: { definition } }: RequestContext, metadata: ListMeta): string =>
  definition.custom === undefined ? "]}" : `],${stringifyJson({ kind: definition.listKind, metadata }).slice(1)}`;

/** Large objects are read one at a time, between other requests. */
const chunkSize = (entries: readonly Entry[]): number => (entries.some(({ value }) => value.byteLength > chunkBytes) ? 1 : chunkBytes);

function* textChunks(pieces: Iterable<string>, size: number, end = "\n"): Generator<Uint8Array> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < size) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(`${text}${end}`);
}

const separator = 0x2c;

function* itemChunks(
  memory: ChunkMemory,
  ctx: RequestContext,
  entries: readonly Entry[],
  metadata: ListMeta,
): Generator<Uint8Array, void, Uint8Array | undefined> {
  const { resource } = ctx;
  let next = 0;
  let before = Buffer.from(listHead(ctx, metadata));
  while (next < entries.length) {
    const start = next;
    let size = before.byteLength;
    for (let entry = entries[next]; entry !== undefined && size < chunkBytes; entry = entries[++next]) {
      size += itemLength(entry.value, entry.modified, resource) + (next > 0 ? 1 : 0);
    }
    const chunk = memory.take(size);
    chunk.set(before, 0);
    let at = before.byteLength;
    before = nothing;
    for (let i = start; i < next; i++) {
      if (i > 0) chunk[at++] = separator;
      at = writeItem(chunk, at, entries[i] as Entry, resource);
    }
    const free = yield chunk;
    if (free !== undefined) memory.give(free);
  }
  const free = yield Buffer.concat([before, Buffer.from(`${listTail(ctx, metadata)}\n`)]);
  if (free !== undefined) memory.give(free);
}

const nothing = Buffer.alloc(0);
