/** Whoever writes objects alike, many in a second, leaves the same entry in each: it is made, and written as JSON, once. */
import { sameFields } from "../field-path/field-set.ts";
import type { MergeSchema } from "../schema/merge-schema.ts";
import type { FieldManager } from "./managed-fields.ts";

/** Of each type; the one found last stands first. */
const maxRecent = 8;
const recent = new WeakMap<MergeSchema, FieldManager[]>();

/** The entry, or one made lately that is the same: at least with the set of that one, where only the time or the manager is another. */
export function sharedManager(entry: FieldManager, schema: MergeSchema): FieldManager {
  const known = recent.get(schema) ?? [];
  if (known.length === 0) recent.set(schema, known);
  const at = known.findIndex(({ fields }) => sameFields(fields, entry.fields));
  const found = known[at];
  if (found === undefined) {
    if (known.unshift(entry) > maxRecent) known.pop();
    return entry;
  }
  const shared = isSame(found, entry) ? found : { ...entry, fields: found.fields };
  if (at > 0) known.splice(at, 1);
  if (at > 0) known.unshift(shared);
  else known[0] = shared;
  return shared;
}

const isSame = (a: FieldManager, b: FieldManager): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.apiVersion === b.apiVersion &&
  a.subresource === b.subresource &&
  a.time === b.time &&
  a.suits === b.suits;
