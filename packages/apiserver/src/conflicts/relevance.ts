/** What changed fields mean to the write that lost to them. */
import { excluding, type FieldFilter, leaves, valueAt } from "@coxswain/apply";
import { deepEqual, type StatusCause } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { Comparands, IntendedChange, OldVersion } from "../registry/stale-write.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import type { HistoryField, ObjectHistory } from "./object-history.ts";

const maxCauses = 32;
/** Of causes as JSON; well below 16 KB with what else is in a Status. */
const maxBytes = 12 * 1024;

/** What the write would do: undefined when that is not known. */
export type IntendedComparands = Comparands | "delete" | undefined;

export function intendedComparands(
  { read }: ObjectHistory,
  { resource, intended }: OldVersion,
  cache: ObjectCache,
): IntendedComparands | Promise<IntendedComparands> {
  if (intended === "delete") return intended;
  try {
    const comparands = intended.compare(cache.objectAt(read, resource), () => cache.managedOf(read));
    return comparands instanceof Promise ? comparands.catch(() => undefined) : comparands;
  } catch {
    return undefined;
  }
}

/** Overlapping changes first, then others, then those of the status. */
export function causesOf(fields: readonly HistoryField[], write: OldVersion, intended: IntendedComparands): readonly StatusCause[] {
  const overlapping: StatusCause[] = [];
  const others: StatusCause[] = [];
  const ofStatus: StatusCause[] = [];
  for (const field of fields) {
    const cause = relate(field, write, intended);
    (cause.reason === "OverlappingChange" ? overlapping : cause.reason === "StatusChange" ? ofStatus : others).push(cause);
  }
  return bounded([...overlapping, ...others, ...ofStatus]);
}

function relate(changed: HistoryField, write: OldVersion, intended: IntendedComparands): StatusCause {
  const { path, field, story, found } = changed;
  if (typeof intended === "object" && changesToo(changed, write, intended)) {
    found.overlapping ??= { reason: "OverlappingChange", message: `${story}; this write changes it too`, field };
    return found.overlapping;
  }
  const [first] = path;
  if (write.resource.definition.hasStatus && first?.kind === "field" && first.name === "status") {
    return { reason: "StatusChange", message: `${story}; status only`, field };
  }
  if (write.intended === "delete") return { reason: "OverlappingChange", message: `${story}; this write deletes the object`, field };
  if (intended === undefined) return { reason: "OtherChange", message: `${story}; whether this write changes it cannot be told`, field };
  const effect = effectOn(changed, write.resource, write.intended);
  found.aside ??= {};
  found.aside[effect] ??= { reason: "OtherChange", message: `${story}; ${effect}`, field };
  return found.aside[effect];
}

/** What the write would have done to a field that it has as it was read: whoever sends whole objects undoes the changes of others. */
function effectOn(
  changed: HistoryField,
  { type }: ServedResource,
  { onCurrent: [current, next] = [{}, {}], filter }: IntendedChange,
): string {
  const { path } = changed;
  const [now, then] = [valueAt(type, current, path), valueAt(type, next, path)];
  if (deepEqual(now, then) || !isReached(changed, filter)) return "this write does not change it";
  if (then === undefined) return "this write would remove it again";
  return now === undefined ? "this write would add it again" : "this write would set it back";
}

/** Whether the write changes the field, something in it, or takes away what it is in. */
function changesToo(changed: HistoryField, { resource: { type }, intended }: OldVersion, [before, after]: Comparands): boolean {
  const { path } = changed;
  if (deepEqual(valueAt(type, before, path), valueAt(type, after, path))) return false;
  return isReached(changed, intended === "delete" ? undefined : intended.filter);
}

function isReached({ path, found }: HistoryField, filter: FieldFilter | undefined): boolean {
  if (found.reach?.filter !== filter || found.reach === undefined) {
    found.reach = { filter, reached: leaves(restored, path) && (filter === undefined || leaves(filter, path)) };
  }
  return found.reach.reached;
}

/** What an update that leaves it out does not take away. */
const restored = excluding(["metadata", "deletionTimestamp"], ["metadata", "deletionGracePeriodSeconds"]);

function bounded(causes: readonly StatusCause[]): readonly StatusCause[] {
  if (causes.length <= maxCauses && causes.reduce((sum, cause) => sum + maxFormBytes(cause), 0) <= maxBytes) return causes;
  let bytes = 0;
  const fits = (cause: StatusCause): boolean => {
    bytes += Buffer.byteLength(JSON.stringify(cause));
    return bytes <= maxBytes;
  };
  const kept: StatusCause[] = [];
  for (const cause of causes) {
    if (kept.length === maxCauses || !fits(cause)) break;
    kept.push(cause);
  }
  const left = causes.length - kept.length;
  const more = left === 1 ? "1 more field changed" : `${left} more fields changed`;
  return left === 0 ? kept : [...kept, { reason: "MoreChanges", message: more }];
}

/** No character of a cause takes more than three bytes. */
const maxFormBytes = ({ field = "", message = "" }: StatusCause): number => 3 * (field.length + message.length) + 64;
