/** What an apply takes away: fields that its manager applied last time, does not apply now, and no other manager owns. */
import type { KubeObject } from "@coxswain/machinery";
import { difference, type FieldSet, intersection, isEmptySet, noFields, union } from "../field-path/field-set.ts";
import { type FieldManager, sameManager } from "../managed-fields/managed-fields.ts";
import { fieldsOf } from "../typed/fields-of.ts";
import { removeFields } from "../typed/remove-fields.ts";
import { withNamedFields } from "../typed/suit-schema.ts";
import { type ApplyVersions, type Version, versionAt } from "./ownership.ts";

/**
 * `merged` without the fields of `last`, the manager's set until now, that none of `managers` owns; those hold the
 * manager's new set. What was in the object without being in `last` stays, also inside what `last` had created.
 */
export function pruneFields(
  merged: Readonly<KubeObject>,
  managers: readonly FieldManager[],
  last: FieldManager | undefined,
  versions: ApplyVersions,
): Readonly<KubeObject> {
  if (last === undefined || isEmptySet(last.fields) || stillOwned(last, managers)) return merged;
  const version = versionAt(versions, last.apiVersion);
  if (version === undefined) return merged;
  const whole = version.to(merged);
  const pruned = addBackOwned(whole, remove(whole, last.fields, version), last.apiVersion, { managers, versions });
  const gone = difference(namedFieldsOf(whole, version), namedFieldsOf(pruned, version));
  const result = without(whole, intersection(gone, withNamedFields(version.schema, last.fields)), version);
  return result === whole ? merged : version.from(result);
}

/** Nothing can go when all that was applied is applied again. */
const stillOwned = (last: FieldManager, managers: readonly FieldManager[]): boolean =>
  managers.some(
    (entry) => sameManager(entry, last) && entry.apiVersion === last.apiVersion && isEmptySet(difference(last.fields, entry.fields)),
  );

const namedFieldsOf = (object: Readonly<KubeObject>, { schema }: Version): FieldSet => withNamedFields(schema, fieldsOf(schema, object));

const remove = (object: Readonly<KubeObject>, fields: FieldSet, version: Version): Readonly<KubeObject> =>
  without(object, withNamedFields(version.schema, fields), version);

function without(object: Readonly<KubeObject>, fields: FieldSet, { schema }: Version): Readonly<KubeObject> {
  if (isEmptySet(fields)) return object;
  return (removeFields(schema, object, fields) ?? {}) as Readonly<KubeObject>;
}

interface Owners {
  readonly managers: readonly FieldManager[];
  readonly versions: ApplyVersions;
}

/** Restores in `pruned` what any manager owns, version by version, beginning with the one that both objects are in. */
function addBackOwned(
  whole: Readonly<KubeObject>,
  pruned: Readonly<KubeObject>,
  apiVersion: string,
  { managers, versions }: Owners,
): Readonly<KubeObject> {
  const home = versionAt(versions, apiVersion);
  if (home === undefined) return pruned;
  let result = pruned;
  for (const at of [apiVersion, ...otherVersions(managers, apiVersion)]) {
    const version = versionAt(versions, at);
    const owned = managers.reduce((set, entry) => (entry.apiVersion === at ? union(set, entry.fields) : set), noFields);
    if (version === undefined || (at === apiVersion && isEmptySet(owned))) continue;
    const convert = (object: Readonly<KubeObject>) => (at === apiVersion ? object : version.to(home.from(object)));
    const source = convert(whole);
    const kept = union(namedFieldsOf(convert(result), version), withNamedFields(version.schema, owned));
    const restored = without(source, difference(namedFieldsOf(source, version), kept), version);
    result = at === apiVersion ? restored : home.to(version.from(restored));
  }
  return result;
}

const otherVersions = (managers: readonly FieldManager[], apiVersion: string): Iterable<string> =>
  new Set(managers.map((entry) => entry.apiVersion).filter((version) => version !== apiVersion));
