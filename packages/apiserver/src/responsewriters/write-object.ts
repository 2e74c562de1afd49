/** From objects to answers, in the form that the client asked for. */
import { type KubeObject, type Status, type StatusError, stringifyJson, stringifyYaml } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import type { Representation } from "../contracts/representation.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { bytesReply } from "../http/exchange.ts";
import { checkMetadataShape, contentTypes } from "../negotiation/negotiate.ts";
import { encodeProtobuf } from "../negotiation/protobuf.ts";
import type { Outcome } from "../registry/create.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import { withSortedKeys } from "../storage/sorted-keys.ts";
import { sendable, wireBytes } from "../storage/stored-object.ts";
import { entryAt } from "../storage/versions.ts";
import { partialObjectMetadata } from "../table/metadata.ts";
import { parseIncludeObject, tableOfObject } from "../table/table.ts";

export async function replyOutcome(ctx: RequestContext, status: number, outcome: Outcome): Promise<Reply> {
  return outcome.kind === "entry" ? replyEntry(ctx, status, outcome.entry) : replyObject(ctx, status, outcome.object, ctx.resource);
}

export async function objectOf({ server: { cache }, resource }: RequestContext, outcome: Outcome): Promise<Readonly<KubeObject>> {
  return outcome.kind === "entry" ? cache.objectAt(await entryAt(cache, outcome.entry, resource), resource) : outcome.object;
}

/** The fast path: stored bytes go out as they are when nobody asked for another form. */
export async function replyEntry(ctx: RequestContext, status: number, stored: Entry): Promise<Reply> {
  const { representation, resource } = ctx;
  const entry = await entryAt(ctx.server.cache, stored, resource);
  if (representation.encoding === "json" && representation.shape.as === "object" && !representation.indent && sendable(entry, resource)) {
    return bytesReply(status, contentTypes.json, wireBytes(entry.value, entry.modified, resource));
  }
  if (entry.value.byteLength > ctx.maxBytes && isRead(ctx)) throw new OffloadRequired();
  return replyObject(ctx, status, ctx.server.cache.objectAt(entry, resource), resource);
}

/** What was written is done, and must not begin again elsewhere. */
const isRead = ({ info }: RequestContext): boolean => info.verb === "get";

/** `resource` says the object's type, and the columns of its Table. */
export async function replyObject(
  ctx: RequestContext,
  status: number,
  object: Readonly<KubeObject>,
  resource: ServedResource,
): Promise<Reply> {
  const { representation } = ctx;
  const shaped = shapeOne(ctx, object, resource);
  return bytesReply(status, contentTypes[representation.encoding], await encode(shaped, representation));
}

function shapeOne(ctx: RequestContext, object: Readonly<KubeObject>, resource: ServedResource): object {
  const { shape } = ctx.representation;
  switch (shape.as) {
    case "object":
      return resource.definition.custom === undefined ? object : withSortedKeys(object);
    case "metadata":
      checkMetadataShape(shape, resource.definition, false);
      return partialObjectMetadata(resource.definition, object, shape.version);
    case "table": {
      const includeObject = parseIncludeObject(ctx.query.get("includeObject"));
      return tableOfObject(resource.definition, { object }, { now: ctx.server.clock.now(), includeObject, version: shape.version });
    }
  }
}

const encoder = new TextEncoder();

/** Any object with kind and apiVersion as bytes. JSON ends in a newline, as Kubernetes' encoder writes it. */
export async function encode(object: object, representation: Representation): Promise<Uint8Array> {
  switch (representation.encoding) {
    case "json":
      return encoder.encode(`${stringifyJson(object, representation.indent ? 2 : undefined)}\n`);
    case "yaml":
      return encoder.encode(await stringifyYaml(object));
    case "protobuf":
      return encodeProtobuf(object as KubeObject);
  }
}

/** A Status as the answer; one with a retry delay says so in its header too. */
export async function replyStatus(status: Status, representation: Representation): Promise<Reply> {
  const code = status.code ?? 200;
  const retryAfter = status.details?.retryAfterSeconds;
  const plain: Representation = { encoding: representation.encoding, shape: { as: "object" }, indent: representation.indent };
  const reply = bytesReply(code, contentTypes[plain.encoding], await encode(status, plain));
  return retryAfter === undefined ? reply : { ...reply, headers: { "retry-after": String(retryAfter) } };
}

export const replyError = (error: StatusError, representation: Representation): Promise<Reply> => replyStatus(error.status, representation);
