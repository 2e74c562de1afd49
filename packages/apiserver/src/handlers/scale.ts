/** `/scale`: the replicas of whatever has some, read and written through one small object. */
import { applyScale, type Scale, toScale, validateScale } from "@coxswain/api";
import { conflict, invalid, type KubeObject, methodNotAllowed, modifiedMessage, notFound } from "@coxswain/machinery";
import { cloneJson } from "../clone.ts";
import type { RequestContext } from "../context.ts";
import { decodeBody } from "../decode-body.ts";
import type { Reply } from "../http/exchange.ts";

import { parseWriteOptions } from "../options.ts";
import { checkName, uidConflict } from "../registry/metadata.ts";
import { keyOf, type ServedResource } from "../registry/served-resource.ts";
import { updateObject } from "../registry/update.ts";
import { objectOf, replyObject } from "../respond.ts";
import { patched, patcherOf } from "./patch.ts";

export async function scale(ctx: RequestContext): Promise<Reply> {
  switch (ctx.info.verb) {
    case "get":
      return read(ctx);
    case "update": {
      const options = parseWriteOptions(ctx.query, "UpdateOptions");
      return write(ctx, options.dryRun, async () => {
        const wanted = (await decodeBody(ctx, scaleResource(ctx), options.fieldValidation)) as Scale;
        checkName(wanted as KubeObject, ctx.info.name);
        return wanted;
      });
    }
    case "patch": {
      const options = parseWriteOptions(ctx.query, "PatchOptions");
      const patcher = patcherOf(ctx, options);
      return write(ctx, options.dryRun, (current) => patched(ctx, current as KubeObject, scaleResource(ctx), patcher, options) as Scale);
    }
    default:
      throw methodNotAllowed();
  }
}

/** The type of the Scale itself, which is stored nowhere. */
const scaleResource = (ctx: RequestContext): ServedResource => ctx.server.served.scale;

async function read(ctx: RequestContext): Promise<Reply> {
  const { server, resource, info } = ctx;
  const { entry } = await server.store.get(keyOf(resource, info.namespace, info.name));
  if (entry === undefined) throw notFound(resource.groupResource, info.name);
  const found = toScale(server.cache.objectAt(entry, resource), resource.definition.resource);
  return replyObject(ctx, 200, found as KubeObject, scaleResource(ctx));
}

async function write(ctx: RequestContext, dryRun: boolean, wanted: (current: Scale) => Scale | Promise<Scale>): Promise<Reply> {
  const { resource, info, server } = ctx;
  const outcome = await updateObject(ctx, info.name, {
    part: "main",
    dryRun,
    next: async (parent) => {
      const current = toScale(parent, resource.definition.resource);
      const next = await wanted(current);
      check(ctx, parent, next);
      return cloneJson(applyScale(parent, next));
    },
  });
  const parent = objectOf(ctx, outcome);
  return replyObject(ctx, 200, toScale(parent, resource.definition.resource) as KubeObject, server.served.scale);
}

/** A Scale's uid and resourceVersion are its parent's. */
function check(ctx: RequestContext, parent: Readonly<KubeObject>, next: Scale): void {
  const { resource, info } = ctx;
  const { uid, resourceVersion } = next.metadata ?? {};
  const parentUid = parent.metadata?.uid ?? "";
  if (uid !== undefined && uid !== "" && uid !== parentUid) {
    throw uidConflict(resource, keyOf(resource, info.namespace, info.name), info.name, uid, parentUid);
  }
  if (resourceVersion !== undefined && resourceVersion !== "" && resourceVersion !== parent.metadata?.resourceVersion) {
    throw conflict(resource.groupResource, info.name, modifiedMessage);
  }
  const errors = [...validateScale(next)];
  if (errors.length > 0) throw invalid({ group: "autoscaling", kind: "Scale" }, info.name, errors);
}
