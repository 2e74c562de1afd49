/**
 * PATCH: the current object, changed as the patch says, written as an update. Without a resourceVersion in the patch it never
 * conflicts: when another writer was faster it is applied again to what is there then.
 */
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  badRequest,
  DecodeError,
  DecodeReport,
  failure,
  field,
  goJsonTypeOf,
  invalid,
  type KubeObject,
  stringifyJson,
  unknownJsonPatchFields,
} from "@coxswain/machinery";
import { cloneJson } from "../clone.ts";
import type { RequestContext } from "../context.ts";
import { decodeObject, mediaType, parsePatchBody } from "../decode-body.ts";
import type { Reply } from "../http/exchange.ts";
import { parseWriteOptions, type WriteOptions } from "../options.ts";
import { checkName, wholeSeconds } from "../registry/metadata.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { type Change, updateObject } from "../registry/update.ts";
import { replyOutcome } from "../respond.ts";
import { apply, isApply } from "./apply.ts";
import type { Limit } from "./limited-write.ts";

type PatchKind = "json" | "merge" | "strategic";

const kinds: ReadonlyMap<string, PatchKind> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
]);

export async function patch(ctx: RequestContext, part: Change["part"] = "main", limit?: Limit): Promise<Reply> {
  if (isApply(ctx)) return apply(ctx, part, limit);
  const options = parseWriteOptions(ctx.query, "PatchOptions");
  const patcher = patcherOf(ctx, options);
  const outcome = await updateObject(ctx, ctx.info.name, {
    part,
    dryRun: options.dryRun,
    ...(limit === undefined ? {} : { validate: limit.validate }),
    next: (current) => {
      const next = patched(ctx, current, ctx.resource, patcher, options);
      return limit === undefined ? next : limit.take(next, current, wholeSeconds(ctx.server.clock.now()));
    },
  });
  return replyOutcome(ctx, 200, outcome);
}

export type Patcher = (current: Readonly<KubeObject>, resource: ServedResource) => KubeObject;

/** The patch in the body, parsed once. @throws 415 for a content type that is no patch, badRequest() for one that cannot be read */
export function patcherOf(ctx: RequestContext, options: WriteOptions): Patcher {
  const kind = kinds.get(mediaType(ctx.request.headers["content-type"]));
  if (kind === undefined) throw failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  const body = parsePatchBody(ctx, kind);
  switch (kind) {
    case "json": {
      const unknown = options.fieldValidation === "Ignore" ? [] : unknownJsonPatchFields(body);
      if (unknown.length > 0 && options.fieldValidation === "Strict") throw badRequest(`strict decoding error: ${unknown.join(", ")}`);
      ctx.warnings.push(...unknown);
      return (current) => objectFrom(applyJsonPatch(current, body));
    }
    case "merge":
      return (current) => objectFrom(applyMergePatch(current, body));
    case "strategic":
      return (current, resource) => objectFrom(applyStrategicMergePatch(current, body, resource.type));
  }
}

function objectFrom(value: unknown): KubeObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw undecodable(value, `json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type map[string]interface {}`);
  }
  return value as KubeObject;
}

/** The result, decoded and defaulted as if the client had sent it whole. */
export function patched(
  ctx: RequestContext,
  current: Readonly<KubeObject>,
  resource: ServedResource,
  patcher: Patcher,
  options: WriteOptions,
): KubeObject {
  const result = patcher(current, resource);
  // Managed fields that the patch left alone need not be looked at again.
  const untouched = result.metadata?.managedFields === current.metadata?.managedFields;
  const object = cloneJson(untouched ? withoutManagedFields(result) : result);
  const report = new DecodeReport();
  try {
    decodeObject(resource, object, report);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw undecodable(object, error.message);
  }
  if (report.problems.length > 0) {
    if (options.fieldValidation === "Strict") throw undecodable(object, `strict decoding error: ${report.problems.join(", ")}`);
    if (options.fieldValidation === "Warn") ctx.warnings.push(...report.problems);
  }
  resource.definition.behaviour.defaults?.(object);
  checkName(object, ctx.info.name);
  return object;
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

const undecodable = (object: unknown, why: string) =>
  invalid({ group: "", kind: "" }, "", [field.invalid("patch", stringifyJson(object), why)]);
