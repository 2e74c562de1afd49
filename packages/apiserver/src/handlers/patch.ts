/**
 * PATCH: the current object, changed as the patch says, written as an update. Without a resourceVersion in the patch it never
 * conflicts: when another writer was faster it is applied again to what is there then.
 */

import type { SubresourceStrategy } from "@coxswain/api";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  DecodeError,
  DecodeReport,
  DecodeTypeError,
  field,
  formatGoValue,
  goJsonTypeOf,
  invalid,
  type KubeObject,
  stringifyJson,
  unknownJsonPatchFields,
} from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { type PatchBody, parsePatchBody } from "../negotiation/decode-body.ts";
import type { Change } from "../registry/change.ts";
import { checkName, wholeSeconds } from "../registry/metadata.ts";
import { updateObject } from "../registry/update.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import { parseWriteOptions, type WriteOptions } from "../request/options.ts";
import { replyOutcome } from "../responsewriters/write-object.ts";
import { cloneJson } from "../storage/clone-json.ts";
import { apply } from "./apply.ts";
import { decodeAsOwnKind, decodePatched, shownJson } from "./decode-patched.ts";
import { type PatchKind, patchKindOf } from "./patch-kind.ts";

export async function patch(ctx: RequestContext, part: Change["part"] = "main", strategy?: SubresourceStrategy): Promise<Reply> {
  const kind = patchKindOf(ctx);
  if (kind === "apply") return apply(ctx, part, strategy);
  const options = parseWriteOptions(ctx.query, "PatchOptions");
  const patcher = patcherOf(ctx, kind, options);
  const outcome = await updateObject(ctx, ctx.info.name, {
    part,
    dryRun: options.dryRun,
    ...(strategy?.validateUpdate === undefined ? {} : { validate: strategy.validateUpdate }),
    next: (current) => {
      const next = patched(ctx, current, ctx.resource, patcher, options);
      strategy?.prepareForUpdate?.(next, current, wholeSeconds(ctx.server.clock.now()));
      return next;
    },
  });
  return replyOutcome(ctx, 200, outcome);
}

/** A patch; its body is read when it is first needed, since an absent object is told before a broken patch. */
export interface Patcher {
  apply(current: Readonly<KubeObject>, resource: ServedResource): KubeObject;
  /** What strict decoding finds in the patch itself. */
  problems(): readonly string[];
  /** What Kubernetes shows of a patch whose result cannot be read: the result, or the patch. */
  shown(result: object, resource: ServedResource, current: Readonly<KubeObject>): string;
  readonly decode: typeof decodePatched;
  why(error: DecodeError): string;
}

export function patcherOf(ctx: RequestContext, kind: Exclude<PatchKind, "apply">, options: WriteOptions): Patcher {
  let parsed: PatchBody | undefined;
  const body = (): PatchBody => (parsed ??= parsePatchBody(ctx, kind, options.fieldValidation));
  const duplicates = () => body().problems;
  const asJson = {
    shown: shownJson,
    decode: decodePatched,
    why: ({ message }: DecodeError) => message,
  };
  switch (kind) {
    case "json":
      return {
        ...asJson,
        apply: (current) => {
          if (ctx.maxBytes < Number.POSITIVE_INFINITY && copiesMuch(body().value)) throw new OffloadRequired();
          return objectFrom(applyJsonPatch(current, body().value));
        },
        problems: () => [...duplicates().map((problem) => `json patch ${problem}`), ...unknownJsonPatchFields(body().value)],
      };
    case "merge":
      return { ...asJson, apply: (current) => objectFrom(applyMergePatch(current, body().value)), problems: duplicates };
    case "strategic":
      return {
        apply: (current, resource) => objectFrom(applyStrategicMergePatch(current, body().value, resource.type)),
        problems: duplicates,
        shown: () => formatGoValue(body().value ?? {}),
        decode: (_ctx, object, resource, report) => decodeAsOwnKind(object, resource, report),
        why: (error) => (error instanceof DecodeTypeError ? error.restoring : error.message),
      };
  }
}

/** Copies of copies make a large object of a small one. */
const copiesMuch = (patch: unknown): boolean => Array.isArray(patch) && patch.filter((operation) => operation?.op === "copy").length > 1;

function objectFrom(value: unknown): KubeObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const why = `json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type map[string]interface {}`;
    throw undecodable(stringifyJson(value), why);
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
  const result = patcher.apply(current, resource);
  // Managed fields that the patch left alone need not be looked at again.
  const untouched = result.metadata?.managedFields === current.metadata?.managedFields;
  let object = cloneJson(untouched ? withoutManagedFields(result) : result);
  const report = new DecodeReport();
  try {
    object = patcher.decode(ctx, object, resource, report);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw undecodable(patcher.shown(result, resource, current), patcher.why(error));
  }
  if (options.fieldValidation !== "Ignore") {
    const problems = [...patcher.problems(), ...report.problems];
    if (problems.length > 0 && options.fieldValidation === "Strict")
      throw undecodable(patcher.shown(result, resource, current), `strict decoding error: ${problems.join(", ")}`);
    ctx.warnings.push(...problems);
  }
  resource.definition.strategy.defaults?.(object);
  checkName(object, ctx.info.name);
  return object;
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

const undecodable = (shown: string, why: string) => invalid({ group: "", kind: "" }, "", [field.invalid("patch", shown, why)]);
