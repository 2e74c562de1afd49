/** An object without the fields of a set. */
import { getOwn, isObject, type JsonObject, setOwn } from "@coxswain/machinery";
import { type FieldSet, isEmptySet, nodeAt } from "../field-path/field-set.ts";
import { itemElement } from "../schema/list-items.ts";
import { formOf, type MergeList, type MergeMap, type MergeSchema, schemaAt } from "../schema/merge-schema.ts";

/**
 * Shares with its argument what stays. A map or list of which nothing is left becomes null, as does one that is owned whole
 * when a field within it goes.
 */
export function removeFields(schema: MergeSchema, value: unknown, fields: FieldSet): unknown {
  switch (formOf(schema, value)) {
    case "scalar":
      return value;
    case "map":
      return schema.map === undefined || schema.map.atomic || !isObject(value) ? null : removeFromMap(schema.map, value, fields);
    case "list":
      return schema.list === undefined || schema.list.atomic || !Array.isArray(value) ? null : removeFromList(schema.list, value, fields);
  }
}

function removeFromMap(map: MergeMap, value: Readonly<JsonObject>, fields: FieldSet): Readonly<JsonObject> | null {
  const result = { ...value };
  let left = Object.keys(value).length;
  let changed = left === 0;
  for (const { element, member, children } of fields.nodes) {
    if (element.kind !== "field" || getOwn(value, element.name) === undefined) continue;
    if (member) {
      delete result[element.name];
      changed = true;
      left--;
    } else {
      const schema = schemaAt(map, element.name);
      const kept = schema === undefined ? null : removeFields(schema, value[element.name], children);
      if (kept === value[element.name]) continue;
      setOwn(result, element.name, kept);
      changed = true;
    }
  }
  return left === 0 ? null : changed ? result : value;
}

function removeFromList(list: MergeList, value: readonly unknown[], fields: FieldSet): readonly unknown[] | null {
  const result: unknown[] = [];
  for (const item of value) {
    const node = nodeAt(fields, itemElement(list, item));
    if (node?.member === true) continue;
    result.push(node === undefined || isEmptySet(node.children) ? item : removeFields(list.item, item, node.children));
  }
  if (result.length === 0) return null;
  return result.length === value.length && result.every((item, i) => item === value[i]) ? value : result;
}
