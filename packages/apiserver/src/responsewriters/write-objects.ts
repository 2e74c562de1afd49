import type { Clock, KubeObject } from "@coxswain/machinery";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import { bytesReply } from "../http/exchange.ts";
import { checkMetadataShape, contentTypes } from "../negotiation/negotiate.ts";
import { partialObjectMetadataList } from "../table/metadata.ts";
import { parseIncludeObject, tableFor } from "../table/table.ts";
import { encode } from "./encode.ts";

/** A list of objects that are stored nowhere. */
export async function replyObjects(ctx: RequestContext, clock: Clock, objects: readonly KubeObject[]): Promise<Reply> {
  const { representation } = ctx;
  return bytesReply(200, contentTypes[representation.encoding], await encode(listOf(ctx, clock, objects), representation));
}

function listOf({ representation: { shape }, resource, query }: RequestContext, clock: Clock, objects: readonly KubeObject[]): object {
  const { definition, apiVersion } = resource;
  switch (shape.as) {
    case "object":
      return { kind: definition.listKind, apiVersion, metadata: {}, items: objects.map(withoutKind) };
    case "metadata":
      checkMetadataShape(shape, definition, true);
      return partialObjectMetadataList(definition, objects, {}, shape.version);
    case "table": {
      const includeObject = parseIncludeObject(query.get("includeObject"));
      const sources = objects.map((object) => ({ object }));
      return tableFor(definition, sources, { now: clock.now(), includeObject, version: shape.version });
    }
  }
}

function withoutKind({ kind: _kind, apiVersion: _apiVersion, ...rest }: KubeObject): KubeObject {
  return rest;
}
