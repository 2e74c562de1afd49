/** Who owns which field, as managed fields have it: for people to read. */
import { deepEqual, isObject, type KubeObject, type RaceFieldOwners, type RaceOwnershipChange } from "@coxswain/machinery";

/** More are no show any more. */
const maxFields = 100;

/** In the order of the fields' names. Fields that hold others stand for themselves only where nothing below them is owned. */
export function fieldOwners(object: KubeObject): readonly RaceFieldOwners[] {
  const owners = new Map<string, Set<string>>();
  for (const { manager = "", fieldsV1 } of managedFieldsOf(object))
    for (const field of leavesOf(fieldsV1, "")) owners.set(field, (owners.get(field) ?? new Set()).add(manager));
  return [...owners]
    .map(([field, managers]) => ({ field, managers: [...managers].sort() }))
    .sort((a, b) => (a.field < b.field ? -1 : 1))
    .slice(0, maxFields);
}

/** Between two states of an object: fields that changed hands. */
export function ownershipChanges(before: KubeObject, after: KubeObject): readonly RaceOwnershipChange[] {
  const [old, now] = [ownersByField(before), ownersByField(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, from: old.get(field) ?? [], to: now.get(field) ?? [] }))
    .filter(({ from, to }) => !deepEqual(from, to));
}

const ownersByField = (object: KubeObject): ReadonlyMap<string, readonly string[]> =>
  new Map(fieldOwners(object).map(({ field, managers }) => [field, managers]));

interface Managed {
  readonly manager?: string;
  readonly fieldsV1?: unknown;
}

function managedFieldsOf({ metadata }: KubeObject): readonly Managed[] {
  const entries: unknown = metadata?.managedFields;
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}

/** `f:` is a field, `k:` an item by its keys, `v:` one by its value, and `.` what is around them. */
function* leavesOf(fields: unknown, path: string): Generator<string> {
  if (!isObject(fields)) return;
  const below = Object.entries(fields).filter(([key]) => key !== ".");
  if (below.length === 0) yield path;
  for (const [key, value] of below) yield* leavesOf(value, path + stepOf(key));
}

function stepOf(key: string): string {
  const kind = key.slice(0, 2);
  const rest = key.slice(2);
  if (kind === "f:") return /^[A-Za-z_][\w-]*$/.test(rest) ? `.${rest}` : `[${JSON.stringify(rest)}]`;
  if (kind !== "k:") return `[${rest}]`;
  const keys: unknown = JSON.parse(rest);
  if (!isObject(keys)) return `[${rest}]`;
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",")}]`;
}
