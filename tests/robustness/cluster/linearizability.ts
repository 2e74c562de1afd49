/**
 * Whether a history is linearizable: whether each operation can have taken effect at one moment between its call and its
 * return, so that all answers are those of one store of which everyone asks the newest state. Each key is searched for an
 * order of its operations; that the revisions of all keys agree with the times is checked without a search, and narrows the times for it.
 *
 * Reads that name a resourceVersion promise less, and are checked in reads.ts.
 */
import { describeOperation, type History, isWrite, type Operation, type Violation } from "./history.ts";
import { type SearchResult, searchOrder } from "./key-search.ts";
import { keyOperations } from "./key-steps.ts";
import { revisionOrder } from "./revision-order.ts";

export function checkLinearizability(history: History): readonly Violation[] {
  const { operations } = history;
  const { violations, windowOf } = revisionOrder(history);
  const times = violations.length === 0 ? windowOf : (operation: Operation): Operation => operation;
  const keys = keysOf(operations).flatMap((key) => violationsOf(key, searchOrder(keyOperations(key, operations, times))));
  return [...keys, ...violations];
}

export function keysOf(operations: readonly Operation[]): readonly string[] {
  const keys = new Set<string>();
  for (const operation of operations)
    if (isWrite(operation) || operation.do === "get") keys.add(operation.key);
    else if (operation.outcome.kind === "ok") for (const { key } of operation.outcome.items) keys.add(key);
  return [...keys].sort();
}

function violationsOf(key: string, result: SearchResult): readonly Violation[] {
  switch (result.kind) {
    case "found":
      return [];
    case "undecided":
      return [{ name: "undecided", operations: [], message: `the orders of the operations on ${key} are too many to try` }];
    case "none": {
      const operations = result.blocked.map(({ operation }) => operation);
      const { state } = result;
      const has = state === undefined ? "does not exist" : `has "${state.value}" at ${state.revision ?? "a revision that was not seen"}`;
      const message = `while ${key} ${has}, none of these can be next: ${operations.map(describeOperation).join("; ")}`;
      return [{ name: "not-linearizable", operations, message }];
    }
  }
}
