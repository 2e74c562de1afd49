/**
 * Strategic merge patch: a merge patch that knows from the type which lists merge, and by which key. Results, order and
 * messages are those of Kubernetes' library.
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
 */

import { badRequest, unexplained } from "../errors/status.ts";
import { goQuote } from "../go/quote.ts";
import { formatGoString, formatGoValue, goJsonTypeOf, goTypeOf } from "../go/value.ts";
import type { Field, StructType, Type } from "../types/type.ts";
import { getOwn, isObject, type JsonObject, setOwn } from "../values/json-object.ts";
import { refuseDepth } from "./depth.ts";
import {
  checkElementOrder,
  deleteItems,
  elementTypeOf,
  type ListStrategy,
  mergeLists,
  orderItems,
  serverOrderOf,
} from "./strategic-list.ts";

const setElementOrder = "$setElementOrder";
const deleteFromPrimitiveList = "$deleteFromPrimitiveList";

/**
 * The patched document; neither argument is changed and untouched parts are shared.
 * @throws badRequest() for directives of the wrong form, a bare 500 for what Kubernetes answers with one
 */
export function applyStrategicMergePatch(doc: Readonly<JsonObject>, patch: unknown, type: StructType): JsonObject {
  if (patch !== null && !isObject(patch))
    throw badRequest(`json: cannot unmarshal ${goJsonTypeOf(patch)} into Go value of type map[string]interface {}`);
  return refuseDepth(() => mergeObjects(doc, patch ?? {}, type));
}

/** `type` is undefined inside what no schema describes: there objects merge and lists are replaced. */
function mergeObjects(original: Readonly<JsonObject>, patch: Readonly<JsonObject>, type: Type | undefined): JsonObject {
  const directive = getOwn(patch, "$patch");
  if (directive !== undefined) return applyDirective(directive, patch);
  const result = { ...original };
  retainKeys(result, patch);
  const ordered = applyElementOrders(result, patch, type);
  for (const key of Object.keys(patch)) {
    if (key === "$retainKeys" || key.startsWith(setElementOrder) || ordered.has(key)) continue;
    if (key.startsWith(deleteFromPrimitiveList)) applyDeletion(result, key, patch[key], type);
    else applyField(result, key, patch[key], type);
  }
  return result;
}

function applyDirective(directive: unknown, patch: Readonly<JsonObject>): JsonObject {
  if (directive === "delete") return {};
  if (directive !== "replace") throw unexplained(`unknown patch type: ${formatGoString(directive)} in map: ${formatGoValue(patch)}`);
  const { $patch: _, ...rest } = patch;
  return rest;
}

/** Removes what `$retainKeys` does not name, when it names all that the patch sets. */
function retainKeys(result: JsonObject, patch: Readonly<JsonObject>): void {
  const retained = getOwn(patch, "$retainKeys");
  if (retained === undefined) return;
  const keep = new Set(Array.isArray(retained) ? retained : undefined);
  const sets = (key: string): boolean =>
    key !== "$retainKeys" && patch[key] !== null && !key.startsWith(deleteFromPrimitiveList) && !key.startsWith(setElementOrder);
  if (!Array.isArray(retained) || Object.keys(patch).some((key) => sets(key) && !keep.has(key)))
    throw badRequest("invalid patch format of retainKeys");
  for (const key of Object.keys(result)) if (!keep.has(key)) delete result[key];
}

/** Merges and orders each list that has a `$setElementOrder/<field>`; returns the names of those fields that are done. */
function applyElementOrders(result: JsonObject, patch: Readonly<JsonObject>, type: Type | undefined): ReadonlySet<string> {
  const done = new Set<string>();
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(setElementOrder)) continue;
    const order = listOf(patch[directive]);
    const key = fieldNameIn(directive, setElementOrder);
    const original = Object.hasOwn(result, key) ? listOf(result[key]) : undefined;
    const changes = Object.hasOwn(patch, key) ? listOf(patch[key]) : undefined;
    requireListField(type, key);
    const strategy = listStrategyOf(type, key);
    checkElementOrder(changes ?? [], order, strategy);
    done.add(key);
    const merged = mergeInto(original, changes, strategy);
    if (merged === undefined) continue;
    elementTypeOf(original ?? [], changes ?? []);
    const serverOrder = original !== undefined && changes !== undefined ? serverOrderOf(original, changes, strategy) : (original ?? []);
    setOwn(result, key, orderItems(merged, order, serverOrder, strategy));
  }
  return done;
}

/** Only here does an unknown field matter: kubectl of a newer version may order a list that this one does not have. */
function requireListField(type: Type | undefined, key: string): void {
  if (type === undefined) return;
  if (type.kind !== "struct") throw unexplained(`merging an object in json but data type is not struct, instead is: ${type.kind}`);
  const field = type.fields.get(key);
  if (field === undefined) throw unexplained(`unable to find api field in struct ${type.shortName} for the json field ${goQuote(key)}`);
  if (field.type.kind !== "list" && field.presence !== "pointer") throw unexplained("expected slice or array type, but got: struct");
}

const fieldOf = (type: Type | undefined, key: string): Field | undefined => (type?.kind === "struct" ? type.fields.get(key) : undefined);

function listStrategyOf(type: Type | undefined, key: string): ListStrategy {
  const field = fieldOf(type, key);
  const item = field?.type.kind === "list" ? field.type.item : undefined;
  return {
    merge: field?.patch.merge === true,
    mergeKey: field?.patch.mergeKey,
    itemKind: item?.kind === "scalar" ? item.scalar : (item?.kind ?? "struct"),
    mergeItems: (original, patch) => mergeObjects(original, patch, item),
  };
}

function mergeInto(
  original: readonly unknown[] | undefined,
  changes: readonly unknown[] | undefined,
  strategy: ListStrategy,
): readonly unknown[] | undefined {
  if (changes === undefined) return original;
  if (original === undefined) return changes.map((item) => withoutDirectives(item, "keepNulls")).filter((item) => item !== undefined);
  return strategy.merge ? mergeLists(original, changes, strategy) : changes;
}

function applyField(result: JsonObject, key: string, value: unknown, type: Type | undefined): void {
  const current = getOwn(result, key);
  if (value === null) delete result[key];
  else if (isObject(current) && isObject(value)) {
    const field = fieldOf(type, key);
    setOwn(result, key, field?.patch.replace === true ? value : mergeObjects(current, value, field?.type));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const strategy = listStrategyOf(type, key);
    setOwn(result, key, strategy.merge ? mergeLists(current, value, strategy) : value);
  } else {
    const added = withoutDirectives(value, "dropNulls");
    if (added === undefined) delete result[key];
    else setOwn(result, key, added);
  }
}

/** `$deleteFromPrimitiveList/<field>`: nothing happens when there is no such list. */
function applyDeletion(result: JsonObject, directive: string, value: unknown, type: Type | undefined): void {
  const key = fieldNameIn(directive, deleteFromPrimitiveList);
  const current = getOwn(result, key);
  if (value === null) delete result[key];
  else if (Array.isArray(current) && Array.isArray(value)) setOwn(result, key, deleteItems(current, value, listStrategyOf(type, key)));
  else if (current !== undefined && goTypeOf(current) === goTypeOf(value)) applyField(result, key, value, type);
}

function fieldNameIn(directive: string, prefix: string): string {
  if (directive[prefix.length] === "/") return directive.slice(prefix.length + 1);
  throw badRequest(`invalid patch format of ${prefix === setElementOrder ? "setElementOrder list" : "primitive list"}`);
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw unexplained(`expected a []interface {}, but received a ${goTypeOf(value)}`);
}

/** What is new: objects with a `$patch` vanish (undefined), and nulls if asked. */
function withoutDirectives(value: unknown, nulls: "keepNulls" | "dropNulls"): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDirectives(item, nulls)).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, "$patch") && !(nulls === "dropNulls" && value.$patch === null)) return undefined;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const item = value[key] === null && nulls === "dropNulls" ? undefined : withoutDirectives(value[key], nulls);
    if (item !== undefined) setOwn(result, key, item);
  }
  return result;
}
