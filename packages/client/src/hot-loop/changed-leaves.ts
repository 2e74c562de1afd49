/** What differs between two states of an object, without knowing its type. */
import { deepEqual, type KubeObject } from "@coxswain/machinery";

/** A field by its name, or an item of a list by what identifies it. */
export type Step = string | Item;
type Item = Readonly<Record<string, unknown>>;

/** A field that has another value, has come or is gone. */
export interface ChangedLeaf {
  readonly path: readonly Step[];
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields in which two states of an object differ. Those that the server sets by itself, and times of events, are left out. */
export function changedLeaves(before: KubeObject, after: KubeObject): ChangedLeaf[] {
  const leaves: ChangedLeaf[] = [];
  compare(before, after, [], leaves);
  return leaves;
}

/** As `kubectl explain` would have it: `.status.conditions[type=Ready].status`. */
export const formatSteps = (path: readonly Step[]): string =>
  path.map((step) => (typeof step === "string" ? fieldText(step) : `[${itemText(step)}]`)).join("");

const fieldText = (name: string): string => (/^[A-Za-z]\w*$/.test(name) ? `.${name}` : `[${name}]`);

const itemText = (item: Item): string => {
  const key = identities.find((name) => typeof item[name] === "string") ?? "";
  return `${key}=${item[key]}`;
};

const byServer = new Set(["resourceVersion", "generation", "managedFields"]);
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const isTime = (value: unknown): boolean => typeof value === "string" && time.test(value);

function compare(before: unknown, after: unknown, path: readonly Step[], leaves: ChangedLeaf[]): void {
  if (before === after || (isTime(before) && isTime(after))) return;
  if (isRecord(before) && isRecord(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      if (!byServer.has(name)) compare(before[name], after[name], [...path, name], leaves);
    return;
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return void leaves.push({ path, before, after });
  const identity = identityOf([...before, ...after]);
  if (identity === undefined) return void (deepEqual(before, after) || leaves.push({ path, before, after }));
  const find = (items: readonly Item[], value: unknown) => items.find((item) => item[identity] === value);
  for (const value of new Set([...before, ...after].map((item: Item) => item[identity]))) {
    const [old, now] = [find(before, value), find(after, value)];
    compare(old, now, [...path, old ?? now ?? {}], leaves);
  }
}

const identities = ["type", "name", "uid"];

/** The field that identifies the items over time. */
function identityOf(items: readonly unknown[]): string | undefined {
  if (items.length === 0 || !items.every(isRecord)) return undefined;
  return identities.find((name) => items.every((item) => typeof item[name] === "string"));
}

const isRecord = (value: unknown): value is Item => typeof value === "object" && value !== null && !Array.isArray(value);
