/** What is known to have changed: from answers of writes, and from what reads and watches have shown. */
import { type Filter, type History, isSelected, isWrite, itemsOf, type Operation, type Watch } from "./history.ts";
import { indexAbove } from "./revisions.ts";

export interface Change {
  readonly key: string;
  readonly revision: number;
  readonly isDeleted: boolean;
  /** undefined also where no record says what a patch has made. */
  readonly value: string | undefined;
  /** The write, where its answer names the revision. */
  readonly write?: Operation;
}

export interface KnownChanges {
  /** Ascending by revision. */
  readonly all: readonly Change[];
  readonly byKey: ReadonlyMap<string, readonly Change[]>;
  /** Whether no change of the key up to the revision can be missing. */
  isComplete(key: string, revision: number): boolean;
}

/** Of records that contradict each other the first counts: of writes, before reads, before watches. */
export function knownChanges({ operations, watches }: History): KnownChanges {
  const found = new Map<string, Change>();
  const add = (change: Change): void => {
    const id = `${change.revision} ${change.key}`;
    const before = found.get(id);
    if (before === undefined) found.set(id, change);
    // A patch whose answer has no value.
    else if (!before.isDeleted && before.value === undefined) found.set(id, { ...before, value: change.value });
  };
  const unseen = new Set<string>();
  for (const operation of operations) {
    if (!isWrite(operation) || operation.outcome.kind === "failed") continue;
    const { key, outcome } = operation;
    if (outcome.kind === "unknown" || outcome.revision === undefined) unseen.add(key);
    else add({ key, revision: outcome.revision, isDeleted: operation.do === "delete", value: writtenValue(operation), write: operation });
  }
  for (const item of operations.flatMap(itemsOf)) add({ ...item, isDeleted: false });
  for (const { item, filter } of watches.flatMap(({ items, filter }) => items.map((item) => ({ item, filter })))) {
    if (item.kind !== "event") continue;
    const { key, value, revision } = item.object;
    if (item.event !== "DELETED") add({ key, value, revision, isDeleted: false });
    // What has lost a token is DELETED for those who select that, but still exists.
    else if (filter.token === undefined) add({ key, value: undefined, revision, isDeleted: true });
  }
  const all = [...found.values()].sort((a, b) => a.revision - b.revision);
  const to = coveredTo(watches);
  return { all, byKey: Map.groupBy(all, ({ key }) => key), isComplete: (key, revision) => revision <= to || !unseen.has(key) };
}

const writtenValue = (operation: Operation): string | undefined =>
  "value" in operation
    ? operation.value
    : operation.outcome.kind === "ok" && "value" in operation.outcome
      ? operation.outcome.value
      : undefined;

/** How far the watches that select everything, one after the other, come from the beginning without a gap. */
function coveredTo(watches: readonly Watch[]): number {
  let to = 0;
  const whole = watches.filter(({ filter }) => filter.key === undefined && filter.token === undefined);
  for (const watch of whole.toSorted((a, b) => a.from - b.from)) if (watch.from <= to) to = Math.max(to, positionOf(watch));
  return to;
}

/** The revision up to which a stream has delivered what there was. */
export function positionOf({ from, items }: Watch): number {
  let position = from;
  for (const item of items)
    if (item.kind === "event") position = Math.max(position, item.object.revision);
    else if (item.kind === "bookmark") position = Math.max(position, item.revision);
  return position;
}

/** The state at a revision; undefined where there is none. */
export function versionAt(known: KnownChanges, key: string, revision: number): Change | undefined {
  const changes = known.byKey.get(key) ?? [];
  const newest = changes[indexAbove(changes, revision) - 1];
  return newest?.isDeleted ? undefined : newest;
}

export interface ExpectedEvent {
  readonly event: "ADDED" | "MODIFIED" | "DELETED";
  readonly change: Change;
  /** What was there before; undefined for none, or for one that was not selected. */
  readonly previous: Change | undefined;
}

/** What a watch of the filter has to deliver of all that is known for certain, ascending. */
export function expectedEvents(known: KnownChanges, filter: Filter): readonly ExpectedEvent[] {
  const last = new Map<string, Change>();
  return known.all.flatMap((change): ExpectedEvent[] => {
    const previous = last.get(change.key);
    last.set(change.key, change);
    if (!known.isComplete(change.key, change.revision)) return [];
    if (filter.token !== undefined && [previous, change].some((one) => one?.isDeleted === false && one.value === undefined)) return [];
    const isSelectedOf = (one: Change | undefined): boolean =>
      one !== undefined && !one.isDeleted && isSelected(filter, { key: one.key, value: one.value ?? "" });
    const [was, is] = [isSelectedOf(previous), isSelectedOf(change)];
    if (!was && !is) return [];
    return [{ event: was ? (is ? "MODIFIED" : "DELETED") : "ADDED", change, previous: was ? previous : undefined }];
  });
}
