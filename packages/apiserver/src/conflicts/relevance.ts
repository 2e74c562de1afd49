/** What changed fields mean to the write that lost to them. */
import { excluding, leaves, valueAt } from "@coxswain/apply";
import { deepEqual, type StatusCause } from "@coxswain/machinery";
import type { Comparands, OldVersion } from "../registry/stale-write.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import type { Past, PastField } from "./object-history.ts";

const mostCauses = 32;
/** Of causes as JSON; well below 16 KB with what else is in a Status. */
const mostBytes = 12 * 1024;

/** What the write would do: undefined when that cannot be told. */
export type Wish = Comparands | "delete" | undefined;

export function wishOf({ read }: Past, { resource, intent }: OldVersion, cache: ObjectCache): Wish | Promise<Wish> {
  if (intent === "delete") return intent;
  try {
    const wish = intent.compare(cache.objectAt(read, resource), () => cache.managedOf(read));
    return wish instanceof Promise ? wish.catch(() => undefined) : wish;
  } catch {
    return undefined;
  }
}

/** Overlapping changes first, then others, then those of the status. */
export function causesOf(fields: readonly PastField[], write: OldVersion, wish: Wish): readonly StatusCause[] {
  const overlapping: StatusCause[] = [];
  const others: StatusCause[] = [];
  const ofStatus: StatusCause[] = [];
  for (const field of fields) {
    const cause = relate(field, write, wish);
    (cause.reason === "OverlappingChange" ? overlapping : cause.reason === "StatusChange" ? ofStatus : others).push(cause);
  }
  return bounded([...overlapping, ...others, ...ofStatus]);
}

function relate(changed: PastField, write: OldVersion, wish: Wish): StatusCause {
  const { path, field, story, told } = changed;
  if (typeof wish === "object" && changesToo(changed, write, wish)) {
    told.overlapping ??= { reason: "OverlappingChange", message: `${story}; this write changes it too`, field };
    return told.overlapping;
  }
  const [first] = path;
  if (write.resource.definition.hasStatus && first?.kind === "field" && first.name === "status") {
    return { reason: "StatusChange", message: `${story}; status only`, field };
  }
  if (wish === "delete") return { reason: "OverlappingChange", message: `${story}; this write deletes the object`, field };
  if (wish === undefined) return { reason: "OtherChange", message: `${story}; whether this write changes it cannot be told`, field };
  told.aside ??= { reason: "OtherChange", message: `${story}; this write does not change it`, field };
  return told.aside;
}

/** Whether the write changes the field, something in it, or takes away what it is in. */
function changesToo({ path, told }: PastField, { resource: { type }, intent }: OldVersion, [before, after]: Comparands): boolean {
  if (deepEqual(valueAt(type, before, path), valueAt(type, after, path))) return false;
  const filter = intent === "delete" ? undefined : intent.filter;
  if (told.reach?.filter !== filter || told.reach === undefined) {
    told.reach = { filter, reached: leaves(restored, path) && (filter === undefined || leaves(filter, path)) };
  }
  return told.reach.reached;
}

/** What an update that leaves it out does not take away. */
const restored = excluding(["metadata", "deletionTimestamp"], ["metadata", "deletionGracePeriodSeconds"]);

function bounded(causes: readonly StatusCause[]): readonly StatusCause[] {
  if (causes.length <= mostCauses && causes.reduce((sum, cause) => sum + longestForm(cause), 0) <= mostBytes) return causes;
  let bytes = 0;
  const fits = (cause: StatusCause): boolean => {
    bytes += Buffer.byteLength(JSON.stringify(cause));
    return bytes <= mostBytes;
  };
  const told: StatusCause[] = [];
  for (const cause of causes) {
    if (told.length === mostCauses || !fits(cause)) break;
    told.push(cause);
  }
  const left = causes.length - told.length;
  const more = left === 1 ? "1 more field changed" : `${left} more fields changed`;
  return left === 0 ? told : [...told, { reason: "MoreChanges", message: more }];
}

/** No character of what is told takes more than three bytes. */
const longestForm = ({ field = "", message = "" }: StatusCause): number => 3 * (field.length + message.length) + 64;
