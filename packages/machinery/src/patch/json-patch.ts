/**
 * JSON patch as Kubernetes' library understands it, which is laxer than the RFC: `replace` of an absent key adds it, `copy`
 * of an absent key gives null, and negative indices count from the end. Indices with leading zeros are refused all the same.
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */

import { badRequest, failure, type StatusError } from "../errors/status.ts";
import { goJsonTypeOf } from "../go/value.ts";
import { stringifyJson } from "../json/json.ts";
import { deepEqual } from "../values/equal.ts";
import { isObject } from "../values/json-object.ts";
import { refuseDepth } from "./depth.ts";
import { Draft } from "./json-patch-draft.ts";

const maxOperations = 10_000;
/** Of all values that a patch copies, as JSON text: a patch must not double a document again and again. */
const maxCopiedLength = 3 * 1024 * 1024;

/**
 * One operation of a JSON patch, as a client may have sent it.
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
export interface JsonPatchOperation {
  readonly op?: string | null;
  readonly path?: string | null;
  readonly from?: string | null;
  readonly value?: unknown;
}

/**
 * The patched document, all operations or none; neither argument is changed and untouched parts are shared.
 * @throws badRequest() when the patch is not a list of operations, 413 when it is too long, 422 when one does not apply
 */
export function applyJsonPatch(doc: unknown, patch: unknown): unknown {
  const operations = decodeJsonPatch(patch);
  if (operations.length > maxOperations) throw tooMany(operations.length);
  return refuseDepth(() => {
    const draft = new Draft(doc, doesNotApply);
    let copied = 0;
    for (const operation of operations) {
      copied += applyOperation(draft, operation);
      if (copied > maxCopiedLength) throw doesNotApply();
    }
    return draft.root;
  });
}

/** Fields of operations that mean nothing, worded as `fieldValidation` reports them. */
export function unknownJsonPatchFields(patch: unknown): string[] {
  const known = new Set(["op", "path", "from", "value"]);
  return decodeJsonPatch(patch).flatMap((operation, i) =>
    Object.keys(operation ?? {})
      .filter((key) => !known.has(key))
      .map((key) => `json patch unknown field "[${i}].${key}"`),
  );
}

/** Returns how much it copied. */
function applyOperation(draft: Draft, operation: JsonPatchOperation | null): number {
  const { op, value = null } = operation ?? {};
  switch (op) {
    case "add":
      draft.add(pathOf(operation?.path), value);
      return 0;
    case "remove":
      draft.remove(pathOf(operation?.path));
      return 0;
    case "replace":
      draft.replace(pathOf(operation?.path), value);
      return 0;
    case "move":
      draft.add(pathOf(operation?.path), draft.remove(pathOf(operation?.from)));
      return 0;
    case "test":
      if (!deepEqual(draft.get(pathOf(operation?.path)) ?? null, value)) throw doesNotApply();
      return 0;
    case "copy":
      return copy(draft, pathOf(operation?.from), pathOf(operation?.path));
    default:
      throw doesNotApply();
  }
}

function copy(draft: Draft, from: string, path: string): number {
  if (from === "") throw doesNotApply();
  const value = draft.get(from) ?? null;
  const { length } = stringifyJson(value);
  if (length <= maxCopiedLength) draft.add(path, structuredClone(value));
  return length;
}

function pathOf(path: string | null | undefined): string {
  if (typeof path !== "string") throw doesNotApply();
  return path;
}

/** Null counts as an empty list, and as an operation that does nothing known. */
function decodeJsonPatch(patch: unknown): readonly (JsonPatchOperation | null)[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, "value of type []handlers.jsonPatchOp");
  for (const operation of patch) {
    if (operation === null) continue;
    if (!isObject(operation)) throw undecodable(operation, "value of type handlers.jsonPatchOp");
    for (const name of ["op", "path", "from"]) {
      const field = operation[name];
      if (field !== undefined && field !== null && typeof field !== "string")
        throw undecodable(field, `struct field jsonPatchOp.${name} of type string`);
    }
  }
  return patch;
}

const undecodable = (value: unknown, target: string): StatusError =>
  badRequest(`error decoding patch: json: cannot unmarshal ${goJsonTypeOf(value)} into Go ${target}`);

/** Kubernetes keeps to itself which operation it was. */
const doesNotApply = (): StatusError => failure(422, "Invalid", "the server rejected our request due to an error in our request", {});

const tooMany = (count: number): StatusError =>
  failure(
    413,
    "RequestEntityTooLarge",
    `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${count}`,
  );
