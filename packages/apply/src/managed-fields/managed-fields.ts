/** Who manages which fields: `metadata.managedFields` in the form that the server works with. */
import type { ManagedFieldsEntry } from "@coxswain/machinery";
import { compareBytes } from "@coxswain/machinery";
import { type FieldSet, sameFields } from "../field-path/field-set.ts";
import { fieldsV1Of, parseFieldsV1 } from "../field-path/fields-v1.ts";
import type { MergeSchema } from "../schema/merge-schema.ts";
import type { FieldSets } from "./field-sets.ts";

/** Who manages which fields of an object. */
export interface ManagedFields {
  /** In the order of the wire: applied before updated, then by time, each manager only once. */
  readonly managers: readonly FieldManager[];
}

/** One manager's fields, by one operation and in one version. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** The version that the fields are of. */
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** When the set, or what its fields hold, changed last by this manager: RFC 3339, whole seconds. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** What the set is known to agree with; sets that come from elsewhere are looked at before they are used. */
  readonly suits?: MergeSchema;
}

/** The managed fields of an object that nothing manages. */
export const unmanaged: ManagedFields = { managers: [] };

/** One manager has one entry for what it applies, and one for what it updates in each version. */
export function managerId({ manager, operation, apiVersion, subresource }: Identity): string {
  return JSON.stringify({
    ...(manager === "" ? {} : { manager }),
    operation,
    ...(operation === "Apply" || apiVersion === "" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
}

export const sameManager = (a: Identity, b: Identity): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  (a.operation === "Apply" || a.apiVersion === b.apiVersion);

type Identity = Omit<FieldManager, "time" | "fields" | "suits">;

/** Of several with one identity, the last counts. */
export const managedBy = (managers: Iterable<FieldManager>): ManagedFields => {
  const byId = new Map<string, FieldManager>();
  for (const manager of managers) byId.set(managerId(manager), manager);
  return byId.size === 0 ? unmanaged : inOrder([...byId.values()]);
};

/** As `managedBy`, where each is known to be there once. Takes the array over. */
export const inOrder = (managers: FieldManager[]): ManagedFields => ({ managers: managers.sort(compareManagers) });

function compareManagers(a: FieldManager, b: FieldManager): number {
  return (
    compareBytes(a.operation, b.operation) ||
    (a.time === b.time ? 0 : secondsOf(a.time) - secondsOf(b.time)) ||
    compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}

/** Seconds since the epoch; 0 for no time. */
export const secondsOf = (time: string | undefined): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));

/** Shared with later calls for the same managers; whoever wants to change an entry copies it. */
export const encodeManagedFields = ({ managers }: ManagedFields): ManagedFieldsEntry[] => managers.map(encodeManager);

function encodeManager(entry: FieldManager): ManagedFieldsEntry {
  let encoded = written.get(entry);
  if (encoded === undefined) {
    const { manager, operation, apiVersion, time, fields, subresource } = entry;
    encoded = Object.freeze({
      ...(manager === "" ? {} : { manager }),
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: "FieldsV1",
      fieldsV1: fieldsV1Of(fields),
      ...(subresource === "" ? {} : { subresource }),
    });
    written.set(entry, encoded);
  }
  return encoded;
}

/** Most entries do not change from one write to the next. */
const written = new WeakMap<FieldManager, ManagedFieldsEntry>();

/**
 * Reads `metadata.managedFields` into sets of fields, for those who read many of the sets that were read before.
 * @throws Error when an entry is not one, with the text of the Warning that admission may cause
 */
export const decodeManagedFields = (entries: readonly ManagedFieldsEntry[], sets?: FieldSets): ManagedFields =>
  managedBy(entries.map((entry, i) => decodeManager(entry, i, sets)));

function decodeManager(entry: ManagedFieldsEntry, i: number, sets: FieldSets | undefined): FieldManager {
  const { manager = "", operation, apiVersion = "", time, fieldsType, fieldsV1, subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") throw new Error("operation must be `Apply` or `Update`");
  if (apiVersion === "") throw new Error("apiVersion must not be empty");
  if (fieldsType === undefined || String(fieldsType) === "") throw new Error(`missing fieldsType in managed fields entry ${i}`);
  if (fieldsType !== "FieldsV1") throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${i}`);
  return { manager, operation, apiVersion, subresource, time: time ?? undefined, fields: parse(fieldsV1 ?? {}, sets) };
}

const parse = (json: unknown, sets: FieldSets | undefined): FieldSet => (sets === undefined ? parseFieldsV1(json) : sets.parse(json));

/**
 * What an update starts from: what the client sent, if it sent something sound, else what was there. An empty list, or one
 * empty entry, starts afresh: nothing is managed until the first apply.
 */
export function managedFieldsSent(sent: readonly ManagedFieldsEntry[] | null | undefined, live: ManagedFields): ManagedFields {
  if (sent === undefined || sent === null) return live;
  if (sent.length === 0 || (sent.length === 1 && isBlank(sent[0]))) return unmanaged;
  try {
    return decodeManagedFields(sent);
  } catch {
    return live;
  }
}

function isBlank(entry: ManagedFieldsEntry | undefined): boolean {
  return Object.values(entry ?? {}).every((value) => value === undefined || value === null || value === "");
}

/**
 * `next` with the times of `previous`, when they differ in nothing else: for a write that otherwise changes nothing, which
 * then is none.
 */
export function keepTimes(previous: ManagedFields, next: ManagedFields): ManagedFields {
  const old = previous.managers;
  if (old.length !== next.managers.length) return next;
  return next.managers.every((entry, i) => sameButForTime(entry, old[i])) ? previous : next;
}

const sameButForTime = (a: FieldManager, b: FieldManager | undefined): boolean =>
  b !== undefined && a.apiVersion === b.apiVersion && sameManager(a, b) && sameFields(a.fields, b.fields);
