/** From objects to answers, in the form that the client asked for. */
import { type Clock, type KubeObject, type ListMeta, stringifyJson } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { bytesReply } from "../http/exchange.ts";
import { checkMetadataShape, contentTypes } from "../negotiation/negotiate.ts";
import type { Outcome } from "../registry/outcome.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import { withSortedKeys } from "../storage/sorted-keys.ts";
import { type ObjectCache, sendable, wireBytes } from "../storage/stored-object.ts";
import { entryAt } from "../storage/versions.ts";
import { partialObjectMetadata } from "../table/metadata.ts";
import { parseIncludeObject, tableOfObject } from "../table/table.ts";
import { ChunkMemory } from "./chunk-memory.ts";
import { encode } from "./encode.ts";
import { chunkBytes, type ListServices, writeList } from "./write-list.ts";

export interface ResponseWriterOptions {
  readonly cache: ObjectCache;
  readonly clock: Pick<Clock, "now">;
  readonly eventLoop: EventLoop;
}

export class ResponseWriter {
  readonly #options: ResponseWriterOptions;
  readonly #lists: ListServices;

  constructor(options: ResponseWriterOptions) {
    this.#options = options;
    this.#lists = { ...options, memory: new ChunkMemory(chunkBytes) };
  }

  outcome(ctx: RequestContext, status: number, outcome: Outcome): Reply | Promise<Reply> {
    return outcome.kind === "entry" ? this.entry(ctx, status, outcome.entry) : this.object(ctx, status, outcome.object, ctx.resource);
  }

  /** What an outcome is about, in the version of the request. */
  async objectOf({ resource }: RequestContext, outcome: Outcome): Promise<Readonly<KubeObject>> {
    const { cache } = this.#options;
    return outcome.kind === "entry" ? cache.objectAt(await entryAt(cache, outcome.entry, resource), resource) : outcome.object;
  }

  /** The fast path: stored bytes go out as they are when the client asked for no other form. @throws OffloadRequired */
  entry(ctx: RequestContext, status: number, stored: Entry): Reply | Promise<Reply> {
    const entry = entryAt(this.#options.cache, stored, ctx.resource);
    return entry instanceof Promise ? entry.then((known) => this.#entry(ctx, status, known)) : this.#entry(ctx, status, entry);
  }

  #entry(ctx: RequestContext, status: number, entry: Entry): Reply | Promise<Reply> {
    const { cache } = this.#options;
    const { representation, resource } = ctx;
    if (representation.encoding === "json" && representation.shape.as === "object" && !representation.indent && sendable(entry, resource)) {
      return bytesReply(status, contentTypes.json, wireBytes(entry.value, entry.modified, resource));
    }
    if (entry.value.byteLength > ctx.maxBytes && isRead(ctx)) throw new OffloadRequired();
    return this.object(ctx, status, cache.objectAt(entry, resource), resource);
  }

  /** `resource` says the object's type, and the columns of its Table. */
  async object(ctx: RequestContext, status: number, object: Readonly<KubeObject>, resource: ServedResource): Promise<Reply> {
    const { representation } = ctx;
    const shaped = shapeOne(ctx, object, resource, this.#options.clock.now());
    if (ctx.audit?.level === "RequestResponse" && representation.encoding !== "json") ctx.audit.responseObject = stringifyJson(shaped);
    return bytesReply(status, contentTypes[representation.encoding], await encode(shaped, representation));
  }

  /** Entries as a list of the request's resource. */
  list(ctx: RequestContext, entries: readonly Entry[], meta: ListMeta): Promise<Reply> {
    return writeList(this.#lists, ctx, entries, meta);
  }
}

/** What was written is done, and must not begin again elsewhere. */
const isRead = ({ info }: RequestContext): boolean => info.verb === "get";

function shapeOne(ctx: RequestContext, object: Readonly<KubeObject>, resource: ServedResource, now: number): object {
  const { shape } = ctx.representation;
  switch (shape.as) {
    case "object":
      return resource.definition.custom === undefined ? object : withSortedKeys(object);
    case "metadata":
      checkMetadataShape(shape, resource.definition, false);
      return partialObjectMetadata(resource.definition, object, shape.version);
    case "table": {
      const includeObject = parseIncludeObject(ctx.query.get("includeObject"));
      return tableOfObject(resource.definition, { object }, { now, includeObject, version: shape.version });
    }
  }
}
