/** What a webhook's patch makes of an object. */

import { builtinTypes } from "@coxswain/api";
import {
  applyJsonPatch,
  DecodeError,
  DecodeReport,
  deepEqual,
  goJsonTypeOf,
  internalError,
  isObject,
  type KubeObject,
  messageOf,
  parseJson,
  StatusError,
} from "@coxswain/machinery";
import type { AdmissionResource } from "../../contracts/admission.ts";
import type { ServedResource, ServedResources } from "../../contracts/served-resource.ts";
import { decodePatched } from "../../handlers/decode-patched.ts";
import { cloneJson } from "../../storage/clone-json.ts";
import { servedSubresource } from "../../storage/served-resource.ts";
import { kindOf } from "../matching/attributes.ts";
import { CallFailure, failedUse } from "./ask-webhook.ts";
import { patchProblem } from "./patch-problem.ts";

type Lookup = Pick<ServedResources, "of" | "byKind">;

export interface PatchedObject {
  readonly object: KubeObject;
  /** Whether it differs from the one before. */
  readonly changed: boolean;
}

/** @throws CallFailure for what is no patch */
export function decodePatch(bytes: Buffer): readonly unknown[] {
  let patch: unknown;
  try {
    patch = parseJson(bytes.toString("utf8"));
  } catch (error) {
    throw new CallFailure(`received undecodable patch in webhook response: ${messageOf(error)}`, 503);
  }
  if (patch === null) return [];
  const wrong = Array.isArray(patch) ? patch.find((operation) => operation !== null && !isObject(operation)) : patch;
  if (Array.isArray(patch) && wrong === undefined) return patch;
  const type = `Go value of type jsonpatch.${Array.isArray(patch) ? "Operation" : "Patch"}`;
  throw new CallFailure(`received undecodable patch in webhook response: json: cannot unmarshal ${goJsonTypeOf(wrong)} into ${type}`, 503);
}

/** Read and defaulted as if a client had sent it. @throws internalError() when the patch does not apply, or makes no object of the kind */
export function applyPatch(
  served: Lookup,
  current: Readonly<KubeObject>,
  patch: readonly unknown[],
  { resource, subresource, name }: { readonly resource: AdmissionResource; readonly subresource: string; readonly name: string },
): PatchedObject {
  const patched = patchedJson(current, patch);
  try {
    if (!isObject(patched)) throw new DecodeError("the result of the patch is no object");
    const object = cloneJson(patched) as KubeObject;
    const kind = kindResource(served, resource, subresource);
    if (kind === undefined) return { object, changed: !deepEqual(object, current) };
    const decoded = decodePatched({ resource: kind, name, subresource, served }, object, new DecodeReport());
    const changed = !deepEqual(decoded, current);
    kind.definition.strategy.defaults?.(decoded);
    return { object: decoded, changed };
  } catch (error) {
    if (error instanceof StatusError || error instanceof DecodeError) throw failedUse(error);
    throw error;
  }
}

/** @throws internalError() */
function patchedJson(current: Readonly<KubeObject>, patch: readonly unknown[]): unknown {
  try {
    return applyJsonPatch(current, patch);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(error.code === 422 ? patchProblem(current, patch) : error.message);
  }
}

/** The resource by whose type the object of a request is read; undefined for the options of connections, which have none here. */
export function kindResource(served: Lookup, resource: AdmissionResource, subresource: string): ServedResource | undefined {
  const { definition } = resource;
  const { group, version, kind } = kindOf(resource, subresource);
  if (kind === definition.kind && group === definition.group) return served.of(definition);
  const known = builtinTypes.byKind(group, version, kind);
  return known === undefined ? undefined : servedSubresource({ group, version, resource: `${kind.toLowerCase()}s`, kind });
}

/** Makes `object` the same as the other, in place. */
export function replaceContent(object: KubeObject, { ...next }: Readonly<KubeObject>): void {
  for (const key of Object.keys(object)) delete object[key];
  for (const [key, value] of Object.entries(next)) {
    // A key of this name would otherwise change what the object is.
    if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    else object[key] = value;
  }
}
