import type { Change, WriteOrigin } from "../engine/change-log.ts";
import { changesOf, decide } from "../engine/compare-and-swap.ts";
import { getEntry, type Tree } from "../engine/tree.ts";
import type { Entry, Revision, Write, WriteNote, WriteResult } from "../storage/store.ts";

/** A write that waits for its answer. */
export interface Waiting {
  readonly op: Write;
  readonly note: WriteNote | undefined;
  readonly origin: WriteOrigin | undefined;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface Answer {
  readonly to: Waiting;
  readonly result: WriteResult;
}

/** What queued writes come to: the changes, and the answers that are true once the changes are durable. */
export interface Batch {
  readonly changes: readonly Change[];
  readonly answers: readonly Answer[];
  /** How many of the queue were decided. */
  readonly taken: number;
}

/** A batch takes no more writes when it has come to this. */
const batchBytes = 16 * 1024 * 1024;

/**
 * Decides queued writes in order, each upon what is durable and the writes before it. A write that loses to what is
 * durable is answered at once; one that loses to a write of the same batch must wait to see whether that one takes place.
 */
export function decideBatch(queue: readonly Waiting[], durable: Tree, revision: Revision, at: number): Batch {
  const changes: Change[] = [];
  const answers: Answer[] = [];
  const decided = new Map<string, Entry | undefined>();
  let bytes = 0;
  let taken = 0;
  for (const to of queue) {
    if (bytes >= batchBytes) break;
    taken++;
    const { op, note, origin } = to;
    const entryOf = (key: string): Entry | undefined => (decided.has(key) ? decided.get(key) : getEntry(durable, key));
    const current = (revision + changes.length) as Revision;
    try {
      const decision = decide(op, entryOf, current);
      if (decision.ok) {
        for (const change of changesOf(decision.events, { after: current, at, note, origin })) {
          const { event } = change;
          if (event.type === "put") decided.set(event.entry.key, event.entry);
          else decided.set(event.key, undefined);
          bytes += event.type === "put" ? event.entry.value.byteLength : 0;
          changes.push(change);
        }
        answers.push({ to, result: { ok: true, revision: (revision + changes.length) as Revision, entry: decision.entry } });
      } else if (decided.has(decision.failed?.key ?? op.key)) answers.push({ to, result: { ...decision, revision: current } });
      else to.resolve({ ...decision, revision });
    } catch (error) {
      to.reject(error);
    }
  }
  return { changes, answers, taken };
}
