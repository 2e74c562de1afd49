/**
 * JSON merge patch. Unlike the RFC's algorithm Kubernetes also drops nulls from objects inside a list that is new.
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */

import { badRequest } from "../errors/status.ts";
import { goJsonTypeOf } from "../go/value.ts";
import { getOwn, isObject, type JsonObject, setOwn } from "../values/json-object.ts";
import { refuseDepth } from "./depth.ts";

/**
 * The patched document; neither argument is changed and untouched parts are shared.
 * @throws badRequest() when the patch is not an object
 */
export function applyMergePatch(doc: Readonly<JsonObject>, patch: unknown): JsonObject {
  if (patch === null) throw badRequest("Invalid JSON Patch");
  if (!isObject(patch))
    throw badRequest(`error decoding patch: json: cannot unmarshal ${goJsonTypeOf(patch)} into Go value of type map[string]interface {}`);
  return refuseDepth(() => mergeObjects(doc, patch));
}

function mergeObjects(doc: Readonly<JsonObject>, patch: Readonly<JsonObject>): JsonObject {
  const result = { ...doc };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete result[key];
    else setOwn(result, key, mergeValue(getOwn(doc, key), value));
  }
  return result;
}

function mergeValue(current: unknown, patch: unknown): unknown {
  if (!isObject(current)) return withoutNulls(patch);
  return isObject(patch) ? mergeObjects(current, patch) : patch;
}

/** Nulls that are list items stay: there they are values. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwn(result, key, withoutNulls(value[key]));
  return result;
}
