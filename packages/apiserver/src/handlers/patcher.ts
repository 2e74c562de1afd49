/** What a JSON, merge or strategic merge patch makes of an object. */
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
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";
import { type PatchBody, parsePatchBody } from "../negotiation/decode-body.ts";
import { checkName } from "../registry/metadata.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import type { WriteOptions } from "../request/options.ts";
import { cloneJson } from "../storage/clone-json.ts";
import { decodeAsOwnKind, decodePatched, type PatchTarget, shownJson } from "./decode-patched.ts";
import type { PatchKind } from "./patch-kind.ts";

export interface PatcherOptions {
  readonly kind: Exclude<PatchKind, "apply">;
  readonly options: WriteOptions;
  /** Of the object that is patched: that of the request, or what its subresource shows of it. */
  readonly resource: ServedResource;
  readonly served: Pick<ServedResources, "byKind">;
}

/** Makes of the current object what the patch wants, decoded and defaulted as if the client had sent it whole. @throws invalid() */
export type Patcher = (current: Readonly<KubeObject>) => KubeObject;

export function createPatcher(ctx: RequestContext, options: PatcherOptions): Patcher {
  const patch = patchOf(ctx, options);
  return (current) => patched(ctx, current, patch, options);
}

/** A patch; its body is read when it is first needed, since an absent object is reported before a broken patch. */
interface Patch {
  apply(current: Readonly<KubeObject>): KubeObject;
  /** What strict decoding finds in the patch itself. */
  problems(): readonly string[];
  /** What Kubernetes shows of a patch whose result cannot be read: the result, or the patch. */
  shown(result: object, current: Readonly<KubeObject>): string;
  decode(object: KubeObject, report: DecodeReport): KubeObject;
  why(error: DecodeError): string;
}

function patchOf(ctx: RequestContext, { kind, options, resource, served }: PatcherOptions): Patch {
  let parsed: PatchBody | undefined;
  const body = (): PatchBody => (parsed ??= parsePatchBody(ctx, kind, options.fieldValidation));
  const target: PatchTarget = { resource, name: ctx.info.name, subresource: ctx.info.subresource, served };
  const duplicates = () => body().problems;
  const asJson = {
    shown: (result: object, current: Readonly<KubeObject>) => shownJson(result, resource, current),
    decode: (object: KubeObject, report: DecodeReport) => decodePatched(target, object, report),
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
        apply: (current) => objectFrom(applyStrategicMergePatch(current, body().value, resource.type)),
        problems: duplicates,
        shown: () => formatGoValue(body().value ?? {}),
        decode: (object, report) => decodeAsOwnKind(object, resource, report),
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

function patched(ctx: RequestContext, current: Readonly<KubeObject>, patch: Patch, { resource, options }: PatcherOptions): KubeObject {
  const result = patch.apply(current);
  // Managed fields that the patch left alone need not be looked at again.
  const untouched = result.metadata?.managedFields === current.metadata?.managedFields;
  let object = cloneJson(untouched ? withoutManagedFields(result) : result);
  const report = new DecodeReport();
  try {
    object = patch.decode(object, report);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw undecodable(patch.shown(result, current), patch.why(error));
  }
  if (options.fieldValidation !== "Ignore") {
    const problems = [...patch.problems(), ...report.problems];
    if (problems.length > 0 && options.fieldValidation === "Strict")
      throw undecodable(patch.shown(result, current), `strict decoding error: ${problems.join(", ")}`);
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
