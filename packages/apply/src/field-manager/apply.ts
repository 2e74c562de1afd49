/**
 * Server-side apply: lays what a manager wants over the object, takes away what it wanted before, and records who owns what.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */

import type { KubeObject } from "@coxswain/machinery";
import { badRequest, deepEqual, messageOf, type StatusError, unexplained } from "@coxswain/machinery";
import { everything, withoutUntracked } from "../field-path/field-filter.ts";
import { isEmptySet, sameFields } from "../field-path/field-set.ts";
import { type FieldManager, type ManagedFields, managedBy, sameManager } from "../managed-fields/managed-fields.ts";
import { sharedManager } from "../managed-fields/recent-managers.ts";
import { type ApplyConflict, applyConflict, conflictsOutside, listConflicts } from "../ownership/conflict.ts";
import { settleOwnership, suitManagers } from "../ownership/ownership.ts";
import { pruneFields } from "../ownership/prune.ts";
import { type MergeSchema, mergeSchemaOf } from "../schema/merge-schema.ts";
import { findShapeError } from "../typed/check-typed.ts";
import { fieldsOf } from "../typed/fields-of.ts";
import { mergeNode } from "../typed/merge.ts";
import { handedOverBy, lastAppliedFields, withLastApplied } from "./last-applied.ts";
import { recordChange, type WriteBy, withoutManagedFields } from "./update.ts";

/** Who applies, with or without force, and what an object that nothing manages yet is compared with. */
export interface ApplyBy extends WriteBy {
  /** Takes over what others manage instead of failing. */
  readonly force: boolean;
  /** The zero value of the type: what an object without managed fields is compared with. */
  readonly empty: Readonly<KubeObject>;
}

/** What a server-side apply came to: the object, and who manages which of its fields. */
export interface Applied {
  /**
   * The live object itself when nothing changed, else a new one that shares with both arguments and has no managed fields:
   * neither decoded nor defaulted, and with null for absence where the type does not allow it.
   */
  readonly object: Readonly<KubeObject>;
  readonly managed: ManagedFields;
}

/**
 * `live` is the object in the request's version, or `by.empty` when there is none yet; `managed` are its managed fields.
 * @throws applyConflict() when others own what would change; a 500 when `applied` does not have the shape of its type
 */
export function applyObject(live: Readonly<KubeObject>, applied: Readonly<KubeObject>, managed: ManagedFields, by: ApplyBy): Applied {
  const plan = planApply(live, applied, managed, by);
  if (plan.conflicts.length > 0 && !by.force) {
    const error = refusalOf(plan.conflicts, live, by);
    if (error !== undefined) throw error;
  }
  return { object: by.manager === handedOverBy ? withLastApplied(plan.object, applied) : plan.object, managed: plan.managed };
}

interface Plan extends Applied {
  readonly conflicts: readonly ApplyConflict[];
}

function planApply(live: Readonly<KubeObject>, applied: Readonly<KubeObject>, managed: ManagedFields, by: ApplyBy): Plan {
  const { apiVersion, subresource = "", filter = everything } = by;
  const schema = mergeSchemaOf(by.type);
  const started = managed.managers.length > 0 ? managed : beforeFirstApply(live, by);
  checkShapes(live, applied, schema, by);
  const current = withoutManagedFields(live);
  const managers = suitManagers(started.managers, by);
  const self = { manager: by.manager || "unknown", operation: "Apply" as const, apiVersion, subresource };
  const last = managers.find((entry) => sameManager(entry, self));
  const fields = filter(fieldsOf(schema, applied));
  // The time of an entry outlives its fields, which are dropped when they are of an unknown version.
  const { time } = started.managers.find((entry) => sameManager(entry, self)) ?? {};
  const mine: FieldManager = { ...self, time, fields, suits: schema };
  const all = [...managers.filter((entry) => entry !== last), mine];
  const object = pruneFields(mergeNode(schema, current, applied) as Readonly<KubeObject>, all, last, by);
  const settled = settleOwnership(current, object, all, { versions: by, filter, exempt: mine });
  const same = deepEqual(current, object);
  return {
    object: same ? live : object,
    managed: managedBy(
      settled.managers.flatMap((entry) => (entry === mine ? finish(mine, last, same ? undefined : by.now, schema) : [entry])),
    ),
    conflicts: listConflicts(settled.conflicts),
  };
}

/** The manager's entry, or nothing if it owns nothing; the old one when nothing about it is new. */
function finish(mine: FieldManager, last: FieldManager | undefined, now: string | undefined, schema: MergeSchema): readonly FieldManager[] {
  const fields = withoutUntracked(mine.fields);
  if (isEmptySet(fields)) return [];
  const time = now ?? mine.time;
  const unchanged = last !== undefined && last.time === time && last.apiVersion === mine.apiVersion && sameFields(last.fields, fields);
  return [unchanged ? last : sharedManager({ ...mine, fields, time }, schema)];
}

/** The fields without a manager when an object is first applied to. */
function beforeFirstApply(live: Readonly<KubeObject>, by: ApplyBy): ManagedFields {
  try {
    return recordChange(by.empty, live, { managers: [] }, { ...by, manager: "before-first-apply" });
  } catch (error) {
    throw unexplained(`failed to create manager for existing fields: ${messageOf(error)}`);
  }
}

function checkShapes(live: Readonly<KubeObject>, applied: Readonly<KubeObject>, schema: MergeSchema, by: ApplyBy): void {
  if (applied.metadata?.managedFields !== undefined && applied.metadata.managedFields !== null)
    throw badRequest("metadata.managedFields must be nil");
  const wrong = findShapeError(schema, applied, { duplicates: "refused" });
  if (wrong !== undefined) throw unexplained(`failed to create typed patch object (${describe(applied, by)}): ${wrong}`);
  if (sound.get(live) === schema) return;
  const broken = findShapeError(schema, live, { duplicates: "allowed" });
  if (broken !== undefined) throw unexplained(`failed to create typed live object (${describe(live, by)}): ${broken}`);
  sound.set(live, schema);
}

/** The live objects that were looked at, with what they agree with: they do not change. */
const sound = new WeakMap<Readonly<KubeObject>, MergeSchema>();

/** The object as Go prints it: without a group, its version has a slash all the same. */
function describe({ metadata, kind = "", apiVersion }: Readonly<KubeObject>, by: ApplyBy): string {
  const version = apiVersion ?? by.apiVersion;
  return `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}; ${version.includes("/") ? "" : "/"}${version}, Kind=${kind}`;
}

/** Undefined when kubectl only takes back what it had applied itself, as the annotation has it. */
function refusalOf(conflicts: readonly ApplyConflict[], live: Readonly<KubeObject>, by: ApplyBy): StatusError | undefined {
  if (by.manager !== handedOverBy) return applyConflict(conflicts);
  const allowed = lastAppliedFields(live, mergeSchemaOf(by.type), by.apiVersion);
  const left = allowed === undefined ? conflicts : conflictsOutside(conflicts, allowed);
  return left.length === 0 ? undefined : applyConflict(left);
}
