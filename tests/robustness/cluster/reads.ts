/** What reads promise: freshness after writes on any server, lists that agree with watches; and creates that happen exactly once. */
import {
  describeOperation,
  type Get,
  type History,
  isWrite,
  itemsOf,
  type List,
  type Operation,
  tokensOf,
  type Violation,
  type Write,
} from "./history.ts";
import { type KnownChanges, knownChanges, versionAt } from "./known-changes.ts";
import { keysOf } from "./linearizability.ts";

export function checkReads(history: History, known: KnownChanges = knownChanges(history)): readonly Violation[] {
  return [
    ...checkFreshness(history, known),
    ...checkRequestedRevisions(history, known),
    ...checkListsAgainstWatches(history, known),
    ...checkCreates(history, known),
  ];
}

/** A read that names no resourceVersion shows all that was answered before it was called, on whichever server. */
export function checkFreshness({ operations }: History, known: KnownChanges): readonly Violation[] {
  const shown = operations.flatMap(shownBy);
  const latest = latestBefore(shown);
  const ofKey = new Map(
    [...Map.groupBy(shown, ({ operation }) => (isWrite(operation) ? operation.key : ""))].map(([key, writes]) => [
      key,
      latestBefore(writes),
    ]),
  );
  return operations.flatMap((operation): readonly Violation[] => {
    if (isWrite(operation) || operation.at !== "" || operation.outcome.kind === "unknown") return [];
    if (operation.do === "list") {
      const before = latest(operation.call);
      if (before === undefined || !isOk(operation) || operation.outcome.revision >= before.revision) return [];
      return [violation("stale-list", `a list shows ${operation.outcome.revision}, after ${before.revision}`, operation, before.operation)];
    }
    const before = ofKey.get(operation.key)?.(operation.call);
    if (before === undefined) return [];
    if (operation.outcome.kind === "ok")
      return operation.outcome.item.revision >= before.revision
        ? []
        : [
            violation(
              "stale-get",
              `a read shows ${operation.outcome.item.revision}, after ${before.revision}`,
              operation,
              before.operation,
            ),
          ];
    if (operation.outcome.reason !== "NotFound" || before.operation.do === "delete") return [];
    const wasDeleted = (known.byKey.get(operation.key) ?? []).some(({ isDeleted, revision }) => isDeleted && revision > before.revision);
    if (wasDeleted || mayBeDeleted(operations, operation)) return [];
    return [violation("stale-get", "a read finds nothing of what was written", operation, before.operation)];
  });
}

type OkList = List & { readonly outcome: { readonly kind: "ok" } };
const isOk = (operation: List): operation is OkList => operation.outcome.kind === "ok";

interface Shown {
  readonly operation: Operation;
  readonly revision: number;
}

/** A revision that everyone has to see from then on. */
function shownBy(operation: Operation): readonly Shown[] {
  if (operation.do === "list") return isOk(operation) ? [{ operation, revision: operation.outcome.revision }] : [];
  if (operation.do === "get" || operation.outcome.kind !== "ok" || operation.outcome.revision === undefined) return [];
  return [{ operation, revision: operation.outcome.revision }];
}

/** The one with the highest revision that had returned before a time. */
function latestBefore(all: readonly Shown[]): (time: number) => Shown | undefined {
  const byReturn = all.toSorted((a, b) => a.operation.return - b.operation.return);
  const highest: Shown[] = [];
  for (const one of byReturn) {
    const last = highest.at(-1);
    highest.push(last !== undefined && last.revision > one.revision ? last : one);
  }
  return (time) => {
    let [low, high] = [0, byReturn.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byReturn[middle]!.operation.return < time) low = middle + 1;
      else high = middle;
    }
    return highest[low - 1];
  };
}

/** Whether a deletion whose revision is not known may have come before the end of the read. */
const mayBeDeleted = (operations: readonly Operation[], read: Get): boolean =>
  operations.some(
    (one) =>
      one.do === "delete" &&
      one.key === read.key &&
      one.call <= read.return &&
      (one.outcome.kind === "unknown" || (one.outcome.kind === "ok" && one.outcome.revision === undefined)),
  );

/** A read at N is no older than N; and no read shows what was never stored, or was written only later. */
export function checkRequestedRevisions({ operations }: History, known: KnownChanges): readonly Violation[] {
  return operations.flatMap((operation): readonly Violation[] => {
    if (isWrite(operation)) return [];
    const found: Violation[] = [];
    // A server that is behind may show what was before the beginning of the history.
    const oldest = typeof operation.at === "number" ? operation.at : Number.NEGATIVE_INFINITY;
    if (operation.do === "list" && isOk(operation) && operation.outcome.revision < oldest)
      found.push(violation("older-than-requested", `a list at ${oldest} shows ${operation.outcome.revision}`, operation));
    if (operation.do === "list" && operation.isExact && isOk(operation) && operation.outcome.revision !== oldest)
      found.push(violation("not-the-exact-revision", `a list exactly at ${oldest} shows ${operation.outcome.revision}`, operation));
    for (const { key, value, revision } of itemsOf(operation)) {
      const newer = versionAt(known, key, oldest);
      if (operation.do === "get" && newer !== undefined && newer.revision > revision)
        found.push(violation("older-than-requested", `a read at ${oldest} shows ${revision}, not ${newer.revision}`, operation));
      const change = (known.byKey.get(key) ?? []).find((one) => one.revision === revision);
      if (change?.write !== undefined && change.write.call > operation.return)
        found.push(violation("read-before-its-write", `${key} at ${revision} was read before it was written`, operation, change.write));
      if (change === undefined || change.isDeleted || (change.value ?? value) !== value)
        found.push(violation("read-of-what-never-was", `${key} never was "${value}" at ${revision}`, operation));
    }
    return found;
  });
}

/** A list at a revision is what a watch that came so far has built, whatever resourceVersion the list asked for. */
export function checkListsAgainstWatches({ operations }: History, known: KnownChanges): readonly Violation[] {
  const keys = new Set([...keysOf(operations), ...known.byKey.keys()]);
  return operations.flatMap((operation): readonly Violation[] => {
    if (operation.do !== "list" || !isOk(operation)) return [];
    const { revision, items } = operation.outcome;
    const listed = new Map(items.map((item) => [item.key, item]));
    return [...keys].flatMap((key) => {
      const [expected, item] = [versionAt(known, key, revision), listed.get(key)];
      if (expected?.revision === item?.revision || !known.isComplete(key, revision)) return [];
      const message = `at ${revision} ${key} is ${item?.revision ?? "missing"} in the list, ${expected?.revision ?? "missing"} by the changes`;
      return [violation("list-differs-from-watch", message, operation)];
    });
  });
}

/** A create that succeeded took effect once; a write that failed never; and nothing is created where something is. */
export function checkCreates({ operations }: History, known: KnownChanges): readonly Violation[] {
  const values = Map.groupBy(operations.filter(isWrite).filter(writesValue), ({ key, value }) => `${key} ${value}`);
  const effects = Map.groupBy(
    known.all.filter(({ isDeleted }) => !isDeleted),
    ({ key, value }) => `${key} ${value}`,
  );
  const found: Violation[] = [];
  for (const [id, writes] of values) {
    const [write] = writes;
    const revisions = (effects.get(id) ?? []).map(({ revision }) => revision);
    // Of a value that two have written none can say whose it is.
    if (write === undefined || writes.length > 1) continue;
    if (write.outcome.kind === "failed" && revisions.length > 0)
      found.push(violation("failed-write-took-effect", `what failed is there at ${revisions[0]}`, write));
    if (revisions.length > 1) found.push(violation("took-effect-twice", `one write is at ${revisions.join(" and ")}`, write));
  }
  return [...found, ...failedTokens(operations, known), ...[...known.byKey].flatMap(([key, changes]) => createdTwice(key, changes, known))];
}

/** What a patch adds has a token of its own, which nobody sees when it has failed. */
function failedTokens(operations: readonly Operation[], known: KnownChanges): readonly Violation[] {
  const failed = operations.filter((one) => "token" in one && one.outcome.kind === "failed");
  if (failed.length === 0) return [];
  const seen = new Map(known.all.flatMap(({ value, revision }) => tokensOf(value ?? "").map((token) => [token, revision])));
  return failed.flatMap((write) => {
    const revision = "token" in write ? seen.get(write.token) : undefined;
    return revision === undefined ? [] : [violation("failed-write-took-effect", `what failed is there at ${revision}`, write)];
  });
}

type WriteOfValue = Extract<Write, { readonly value: string }>;
const writesValue = (write: Write): write is WriteOfValue => write.do === "create" || write.do === "update";

function createdTwice(key: string, changes: KnownChanges["all"], known: KnownChanges): readonly Violation[] {
  return changes.flatMap(({ write, revision }, i) => {
    const before = changes[i - 1];
    if (write?.do !== "create" || before === undefined || before.isDeleted || !known.isComplete(key, revision)) return [];
    const others = before.write === undefined ? [] : [before.write];
    return [violation("created-where-something-was", `${key} was there at ${before.revision}`, write, ...others)];
  });
}

const violation = (name: string, message: string, ...operations: readonly Operation[]): Violation => ({
  name,
  operations,
  message: `${message}: ${operations.map(describeOperation).join("; ")}`,
});
