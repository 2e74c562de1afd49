/** Keeps the number of updaters small: the oldest share an entry, one for each version. */

import { compareBytes } from "@coxswain/machinery";
import { union } from "../field-path/field-set.ts";
import { type FieldManager, inOrder, type ManagedFields, managerId, secondsOf } from "./managed-fields.ts";

const maxUpdaters = 10;
const bucketName = "ancient-changes";

/** Two of a version that are merged make one entry less, so the oldest of each version only waits for the next. */
export function capManagers(managed: ManagedFields): ManagedFields {
  if (managed.managers.length <= maxUpdaters) return managed;
  const updaters = managed.managers.filter(({ operation }) => operation === "Update");
  if (updaters.length <= maxUpdaters) return managed;
  const byId = new Map(managed.managers.map((entry) => [managerId(entry), entry]));
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const { id, entry } of oldestFirst(updaters)) {
    if (count <= maxUpdaters) break;
    const first = firstOf.get(entry.apiVersion);
    if (first === undefined) {
      firstOf.set(entry.apiVersion, id);
      continue;
    }
    const bucket = { manager: bucketName, operation: "Update" as const, apiVersion: entry.apiVersion, subresource: "" };
    const bucketId = managerId(bucket);
    const held = byId.get(bucketId) ?? byId.get(first);
    if (!byId.has(bucketId)) byId.delete(first);
    const merged: FieldManager = { ...entry, ...bucket, fields: held === undefined ? entry.fields : union(entry.fields, held.fields) };
    byId.set(bucketId, merged);
    byId.delete(id);
    count--;
  }
  return inOrder([...byId.values()]);
}

function oldestFirst(updaters: readonly FieldManager[]): readonly { readonly id: string; readonly entry: FieldManager }[] {
  return updaters
    .map((entry) => ({ id: managerId(entry), entry, seconds: secondsOf(entry.time) }))
    .sort((a, b) => a.seconds - b.seconds || compareBytes(a.id, b.id));
}
