/**
 * Whether the revisions of all keys agree with the times of calls and returns. They are one sequence: what shows a
 * revision shows that by its return all smaller ones had been given out, and what shows that a revision was missing shows
 * that by its call no greater one had.
 */
import { describeOperation, type History, isWrite, itemsOf, type Operation, type Violation } from "./history.ts";
import { indexAbove } from "./revisions.ts";

/** An operation that shows that the revision was given out by its return (`by`), or not before its call (`since`). */
interface Mark {
  readonly revision: number;
  readonly kind: "by" | "since";
  readonly time: number;
  readonly operation: Operation;
}

/** A change of a key of which an operation knows. */
interface Known {
  readonly revision: number;
  readonly isDeleted: boolean;
  readonly operation: Operation;
}

interface KeyChain {
  /** Ascending. */
  readonly known: readonly Known[];
  /** From when on deletions, and other writes, may have taken effect at revisions that no answer shows. */
  readonly unseenDeletions: number;
  readonly unseenPuts: number;
}

/** When an operation can have taken effect. */
export interface Window {
  readonly call: number;
  readonly return: number;
}

export interface RevisionOrder {
  readonly violations: readonly Violation[];
  /** What the revisions of all keys leave of the time between call and return, where there is no violation. */
  windowOf(operation: Operation): Window;
}

export function revisionOrder({ operations }: History): RevisionOrder {
  const chains = chainsOf(operations);
  const marks = marksOf(operations, chains).sort((a, b) => a.revision - b.revision);
  const bounds = boundsOf(marks);
  const violations = [
    ...duplicates(operations, chains),
    ...contradictions(marks),
    ...operations.flatMap((operation) => [...listed(operation, chains), ...misplaced(operation, chains, bounds)]),
  ];
  return { violations, windowOf: (operation) => windowOf(operation, chains, bounds) };
}

function windowOf(operation: Operation, chains: ReadonlyMap<string, KeyChain>, bounds: Bounds): Window {
  const { call, return: returned, outcome } = operation;
  const between = (first: number, last: number | undefined): Window => ({
    call: Math.max(call, bounds.notBefore(first)),
    return: Math.min(returned, last === undefined ? returned : bounds.notAfter(last)),
  });
  if (outcome.kind !== "ok" || (!isWrite(operation) && operation.at !== "")) return operation;
  if ("items" in outcome) return between(outcome.revision, outcome.revision + 1);
  if (!("item" in outcome)) return outcome.revision === undefined ? operation : between(outcome.revision, outcome.revision);
  const { key, revision } = outcome.item;
  const { known } = chains.get(key)!;
  return between(revision, known[indexAbove(known, revision)]?.revision);
}

function chainsOf(operations: readonly Operation[]): ReadonlyMap<string, KeyChain> {
  const changes = new Map<string, Map<number, Known>>();
  const unseen = { deletions: new Map<string, number>(), puts: new Map<string, number>() };
  const ofKey = (key: string): Map<number, Known> => {
    const found = changes.get(key) ?? new Map<number, Known>();
    changes.set(key, found);
    return found;
  };
  for (const operation of operations) {
    if (operation.outcome.kind === "failed") continue;
    if (isWrite(operation)) {
      const revision = operation.outcome.kind === "ok" ? operation.outcome.revision : undefined;
      const isDeleted = operation.do === "delete";
      if (revision !== undefined) ofKey(operation.key).set(revision, { revision, isDeleted, operation });
      else setEarlier(isDeleted ? unseen.deletions : unseen.puts, operation.key, operation.call);
    } else if (operation.at === "")
      for (const { key, revision } of itemsOf(operation))
        if (!ofKey(key).has(revision)) ofKey(key).set(revision, { revision, isDeleted: false, operation });
  }
  const keys = new Set([...changes.keys(), ...unseen.deletions.keys(), ...unseen.puts.keys()]);
  return new Map(
    [...keys].map((key) => {
      const known = [...(changes.get(key)?.values() ?? [])].sort((a, b) => a.revision - b.revision);
      const since = (calls: ReadonlyMap<string, number>): number => calls.get(key) ?? Number.POSITIVE_INFINITY;
      return [key, { known, unseenDeletions: since(unseen.deletions), unseenPuts: since(unseen.puts) }];
    }),
  );
}

const setEarlier = (times: Map<string, number>, key: string, time: number): void =>
  void times.set(key, Math.min(times.get(key) ?? time, time));

function marksOf(operations: readonly Operation[], chains: ReadonlyMap<string, KeyChain>): Mark[] {
  const lists = operations.flatMap(({ outcome }) => (outcome.kind === "ok" && "items" in outcome ? [outcome] : []));
  const all = [...[...chains.values()].flatMap(({ known }) => known), ...lists].sort((a, b) => a.revision - b.revision);
  return operations.flatMap((operation): Mark[] => {
    const by = (revision: number): Mark => ({ revision, kind: "by", time: operation.return, operation });
    const since = (revision: number | undefined): Mark[] =>
      revision === undefined ? [] : [{ revision, kind: "since", time: operation.call, operation }];
    if (operation.outcome.kind !== "ok") return [];
    if (isWrite(operation)) {
      const { revision } = operation.outcome;
      return revision === undefined ? [] : [by(revision), ...since(revision)];
    }
    if (operation.at !== "") return [];
    if ("items" in operation.outcome) {
      const { revision } = operation.outcome;
      return [by(revision), ...since(all[indexAbove(all, revision)]?.revision)];
    }
    const { key, revision } = operation.outcome.item;
    const { known } = chains.get(key)!;
    return [by(revision), ...since(known[indexAbove(known, revision)]?.revision)];
  });
}

/** A revision is of one write, and of one key. */
function duplicates(operations: readonly Operation[], chains: ReadonlyMap<string, KeyChain>): readonly Violation[] {
  const found: Violation[] = [];
  const writes = new Map<number, Operation>();
  for (const operation of operations) {
    if (!isWrite(operation) || operation.outcome.kind !== "ok" || operation.outcome.revision === undefined) continue;
    const { revision } = operation.outcome;
    const first = writes.get(revision);
    if (first !== undefined) found.push(violation("revision-of-two-writes", `revision ${revision} is of two`, first, operation));
    writes.set(revision, operation);
  }
  const keys = new Map<number, Known & { readonly key: string }>();
  for (const [key, { known }] of chains)
    for (const change of known) {
      const first = keys.get(change.revision);
      const areWrites = first !== undefined && isWrite(first.operation) && isWrite(change.operation);
      if (first !== undefined && !areWrites)
        found.push(
          violation("revision-of-two-keys", `${change.revision} is of ${first.key} and ${key}`, first.operation, change.operation),
        );
      keys.set(change.revision, { ...change, key });
    }
  return found;
}

/** One operation shows that a revision was missing after another had shown it, or a greater one. */
function contradictions(marks: readonly Mark[]): readonly Violation[] {
  const found: Violation[] = [];
  let latest: Mark | undefined;
  for (const group of Map.groupBy(marks, ({ revision }) => revision).values()) {
    for (const mark of group) if (mark.kind === "since" && mark.time > (latest?.time ?? -1)) latest = mark;
    for (const mark of group)
      if (mark.kind === "by" && latest !== undefined && latest.time > mark.time) {
        const message = `revision ${latest.revision} was still to come after ${mark.revision} had been given out`;
        found.push(violation("revisions-against-time", message, latest.operation, mark.operation));
      }
  }
  return found;
}

/** A list at a revision has of each key the newest version up to it. */
function listed(operation: Operation, chains: ReadonlyMap<string, KeyChain>): readonly Violation[] {
  if (operation.do !== "list" || operation.at !== "" || operation.outcome.kind !== "ok") return [];
  const { revision, items } = operation.outcome;
  return [...chains].flatMap(([key, { known, unseenDeletions }]) => {
    const newest = known[indexAbove(known, revision) - 1];
    const item = items.find((one) => one.key === key);
    const name = "list-of-no-revision";
    if (item !== undefined && item.revision > revision)
      return [violation(name, `${key} is listed at ${item.revision}, the list at ${revision}`, operation)];
    if (newest === undefined || newest.operation === operation) return [];
    const isMissing = item === undefined && !newest.isDeleted && unseenDeletions > operation.return;
    const isOld = item !== undefined && item.revision < newest.revision;
    const shown = item === undefined ? "missing" : `listed at ${item.revision}`;
    const message = `at ${revision} ${key} is ${shown}, but was changed at ${newest.revision}`;
    return isMissing || isOld ? [violation(name, message, operation, newest.operation)] : [];
  });
}

/** What says whether there is an object, but not of which revision, needs a time at which there was one, or none. */
function misplaced(operation: Operation, chains: ReadonlyMap<string, KeyChain>, bounds: Bounds): readonly Violation[] {
  if (operation.do === "list" || operation.outcome.kind !== "failed" || (operation.do === "get" && operation.at !== "")) return [];
  const { reason } = operation.outcome;
  const chain = chains.get(operation.key);
  if (chain === undefined || reason === "Other") return [];
  const wantsAbsent = reason === "NotFound";
  if ((wantsAbsent ? chain.unseenDeletions : chain.unseenPuts) <= operation.return) return [];
  const expected = "expectedRevision" in operation ? operation.expectedRevision : undefined;
  const starts: readonly (Known | undefined)[] = [undefined, ...chain.known];
  const isPossible = starts.some((start, i) => {
    const end = starts[i + 1];
    if ((start?.isDeleted ?? true) !== wantsAbsent || (reason === "Conflict" && start?.revision === expected)) return false;
    const begun = start === undefined ? Number.NEGATIVE_INFINITY : bounds.notBefore(start.revision);
    const ended = end === undefined ? Number.POSITIVE_INFINITY : bounds.notAfter(end.revision);
    return begun <= operation.return && ended >= operation.call;
  });
  const message = `${operation.key} ${wantsAbsent ? "existed" : "did not exist, or had another revision,"} all that time`;
  return isPossible ? [] : [violation("revisions-against-time", message, operation)];
}

interface Bounds {
  /** When a revision was given out at the earliest, and at the latest. */
  notBefore(revision: number): number;
  notAfter(revision: number): number;
}

/** `marks` ascending by revision. */
function boundsOf(marks: readonly Mark[]): Bounds {
  const since = [Number.NEGATIVE_INFINITY];
  for (const { kind, time } of marks) since.push(kind === "since" ? Math.max(since.at(-1)!, time) : since.at(-1)!);
  const by = [Number.POSITIVE_INFINITY];
  for (const { kind, time } of marks.toReversed()) by.push(kind === "by" ? Math.min(by.at(-1)!, time) : by.at(-1)!);
  return {
    notBefore: (revision) => since[indexAbove(marks, revision)]!,
    notAfter: (revision) => by[marks.length - indexAbove(marks, revision - 1)]!,
  };
}

const violation = (name: string, message: string, ...operations: readonly Operation[]): Violation => ({
  name,
  operations,
  message: `${message}: ${operations.map(describeOperation).join("; ")}`,
});
