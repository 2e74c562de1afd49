/** All checks of a recorded history. */
import type { History, Violation } from "./history.ts";
import { knownChanges } from "./known-changes.ts";
import { checkLinearizability } from "./linearizability.ts";
import { checkReads } from "./reads.ts";
import { checkWatches } from "./watch-guarantees.ts";

export function checkHistory(history: History): readonly Violation[] {
  const known = knownChanges(history);
  return [...checkLinearizability(history), ...checkWatches(history, known), ...checkReads(history, known)];
}
