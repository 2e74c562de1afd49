/** Lays a configuration over an object without recording who owns what: what mutating admission policies do. */
import type { JsonObject, KubeObject, StructType } from "@coxswain/machinery";
import { isObject } from "@coxswain/machinery";
import { formOf, type MergeSchema, mergeSchemaOf } from "../schema/merge-schema.ts";
import { findShapeError } from "../typed/check-typed.ts";
import { mergeNode } from "../typed/merge.ts";

/** The object with the configuration, or what is wrong with either of them. */
export type Merged = { readonly ok: true; readonly object: Readonly<KubeObject> } | { readonly ok: false; readonly problem: string };

/**
 * A configuration may not hold what is replaced whole: whoever means to change a part of it would lose the rest. The result shares
 * with both arguments, and is neither decoded nor defaulted.
 */
export function mergeConfiguration(type: StructType, live: Readonly<KubeObject>, configuration: Readonly<KubeObject>): Merged {
  const schema = mergeSchemaOf(type);
  const wrong = findShapeError(schema, configuration, { duplicates: "refused" });
  if (wrong !== undefined) return { ok: false, problem: `failed to convert patch object to typed object: ${wrong}` };
  const atomics = findAtomics(schema, configuration, "");
  if (atomics.length > 0) {
    const places = atomics.join(", ");
    return { ok: false, problem: `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${places}` };
  }
  const broken = findShapeError(schema, live, { duplicates: "allowed" });
  if (broken !== undefined) return { ok: false, problem: `failed to convert original object to typed object: ${broken}` };
  return { ok: true, object: mergeNode(schema, live, configuration) as Readonly<KubeObject> };
}

/** Only declared fields are looked into. */
function findAtomics(schema: MergeSchema, value: unknown, path: string): readonly string[] {
  if (value === null || value === undefined) return [];
  const { map, list } = schema;
  const form = formOf(schema, value);
  if (form === "map" && map !== undefined && isObject(value)) {
    const inside = Object.entries(value as JsonObject).flatMap(([key, part]) => {
      const declared = map.fields.get(key);
      return declared === undefined ? [] : findAtomics(declared.schema, part, `${path}.${key}`);
    });
    return map.atomic ? [path, ...inside] : inside;
  }
  if (form === "list" && list !== undefined && Array.isArray(value)) {
    const inside = value.flatMap((item, index) => findAtomics(list.item, item, `${path}[${index}]`));
    return list.atomic ? [path, ...inside] : inside;
  }
  return [];
}
