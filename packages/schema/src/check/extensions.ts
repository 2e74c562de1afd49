/** How the x-kubernetes- extensions for lists and maps fit together, and with the type. */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { goItems } from "./go-form.ts";
import { hasDefault, itemsOf, propertyOf } from "./parts.ts";
import { wrongType } from "./structural.ts";

const listType = "x-kubernetes-list-type";
const mapType = "x-kubernetes-map-type";
const mapKeys = "x-kubernetes-list-map-keys";

export function extensionErrors(out: FieldError[], schema: JsonSchema, path: string, requireAtomicSets: boolean): void {
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    out.push(field.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  const { type, [mapType]: map, [listType]: list } = schema;
  if (map !== undefined) {
    if (type !== "object") out.push(wrongType(`${path}.type`, type, `must be object if ${mapType} is specified`));
    if (map !== "atomic" && map !== "granular") out.push(field.notSupported(`${path}.${mapType}`, map, ["atomic", "granular"]));
  }
  if (list !== undefined) {
    if (type !== "array") out.push(wrongType(`${path}.type`, type, `must be array if ${listType} is specified`));
    else if (requireAtomicSets) out.push(...setErrors(schema, path));
    if (!["atomic", "set", "map"].includes(list)) out.push(field.notSupported(`${path}.${listType}`, list, ["atomic", "set", "map"]));
  }
  const keys = schema[mapKeys] ?? [];
  if (keys.length > 0 && list !== "map") {
    const why = `must be map if ${mapKeys} is non-empty`;
    out.push(list === undefined ? field.required(`${path}.${listType}`, why) : field.invalid(`${path}.${listType}`, list, why));
  }
  if (list === "map") keyErrors(out, schema, keys, path);
}

/** Items of a set are compared whole, so they may not be merged. Lists merge only if they say so; objects do unless they say not. */
export function setErrors(schema: JsonSchema, path: string): FieldError[] {
  const items = itemsOf(schema);
  if (schema[listType] !== "set" || items === undefined) return [];
  const why = `must be atomic as item of a list with ${listType}=set`;
  const { [listType]: list, [mapType]: map } = items;
  if (items.type === "array" && list !== undefined && list !== "atomic") return [field.invalid(`${path}.items.${listType}`, list, why)];
  // Kubernetes shows the list type here as well.
  if (items.type === "object" && map !== "atomic") return [field.invalid(`${path}.items.${mapType}`, list, why)];
  return [];
}

function keyErrors(out: FieldError[], schema: JsonSchema, keys: readonly string[], path: string): void {
  const items = itemsOf(schema);
  if (keys.length === 0) out.push(field.required(`${path}.${mapKeys}`, `must not be empty if ${listType} is map`));
  if (schema.items === undefined) out.push(field.required(`${path}.items`, `must have a schema if ${listType} is map`));
  else if (items === undefined) {
    out.push(field.invalid(`${path}.items`, goItems(schema.items), `must only have a single schema if ${listType} is map`));
  }
  if (items === undefined) return;
  if (items.type !== "object") {
    out.push(field.invalid(`${path}.items.type`, items.type ?? "", `must be object if parent array's ${listType} is map`));
    return;
  }
  for (const [i, key] of keys.entries()) {
    const type = propertyOf(items, key)?.type;
    if (type === "array" || type === "object") {
      const why = `must be a scalar type if parent array's ${listType} is map`;
      out.push(field.invalid(`${path}.items.properties[${key}].type`, items.type, why));
    } else if (propertyOf(items, key) === undefined) {
      out.push(field.invalid(`${path}.${mapKeys}`, keys, "entries must all be names of item properties"));
    }
    if (keys.indexOf(key) < i) out.push(field.invalid(`${path}.${mapKeys}`, keys, "must not contain duplicate entries"));
  }
}

/** What identifies an item has to be there. */
export function mapListErrors(schema: JsonSchema, path: string): FieldError[] {
  const items = itemsOf(schema);
  const list = schema[listType];
  const out: FieldError[] = [];
  if (items === undefined || (list !== "set" && list !== "map")) return out;
  if (items.nullable) out.push(field.forbidden(`${path}.items.nullable`, `cannot be nullable when ${listType} is ${list}`));
  if (list === "set") return out;
  const always = new Set(items.required);
  for (const key of schema[mapKeys] ?? []) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!always.has(key) && !hasDefault(property)) {
      out.push(field.required(`${at}.default`, `this property is in ${mapKeys}, so it must have a default or be a required property`));
    }
    if (property.nullable) out.push(field.forbidden(`${at}.nullable`, `this property is in ${mapKeys}, so it cannot be nullable`));
  }
  return out;
}
