/**
 * Lays an applied configuration over an object. What the configuration does not mention stays, and is shared with the
 * result: an object that is unchanged is returned itself.
 */
import { deepEqual, getOwn, isEmpty, isObject, type JsonObject, setOwn } from "@coxswain/machinery";
import { formOf, type MergeMap, type MergeSchema, schemaAt } from "../schema/merge-schema.ts";
import { mergeLists } from "./merge-list.ts";

/** `undefined` is absence, null a value: it takes the place of scalars and of what is owned whole, and leaves the rest. */
export function mergeNode(schema: MergeSchema, live: unknown, applied: unknown): unknown {
  if (applied === undefined || live === undefined || live === applied) return applied === undefined ? live : applied;
  const { map, list } = schema;
  const form = formOf(schema, applied);
  if (form === "map" && map !== undefined && !map.atomic) {
    const left = isObject(live) ? live : {};
    const right = isObject(applied) ? applied : {};
    if (!(isEmpty(left) && isEmpty(right))) return mergeMaps(map, left, right);
  } else if (form === "list" && list !== undefined && !list.atomic) {
    const left: readonly unknown[] = Array.isArray(live) ? live : [];
    const right: readonly unknown[] = Array.isArray(applied) ? applied : [];
    if (left.length + right.length > 0) return mergeLists(list, left, right, mergeNode);
  }
  return deepEqual(live, applied) ? live : applied;
}

function mergeMaps(map: MergeMap, live: Readonly<JsonObject>, applied: Readonly<JsonObject>): Readonly<JsonObject> {
  let result: JsonObject | undefined;
  for (const key in applied) {
    const value = applied[key];
    if (value === undefined) continue;
    const schema = schemaAt(map, key);
    const current = getOwn(live, key);
    const merged = schema === undefined ? value : mergeNode(schema, current, value);
    if (merged === current) continue;
    result ??= { ...live };
    setOwn(result, key, merged);
  }
  return result ?? live;
}
