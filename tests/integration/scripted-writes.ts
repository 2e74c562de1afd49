/** Writes to a store that wait, fail or are preceded by others where a test says so: interleavings that need no luck. */
import type { Store, Write, WriteNote, WriteResult } from "@coxswain/store";

export interface HeldWrite {
  /** Resolves when the write has come; nothing of it has happened. */
  readonly reached: Promise<void>;
  release(): void;
}

type Matches = (op: Write) => boolean;

/** The first write that matches waits until it is released. */
export function holdWrite(store: Store, matches: Matches): HeldWrite {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  beforeWrite(store, matches, async () => {
    reached.resolve();
    await released.promise;
  });
  return { reached: reached.promise, release: released.resolve };
}

/** Something happens right before the first write that matches, which fails with what it throws. */
export function beforeWrite(store: Store, matches: Matches, first: () => Promise<unknown>): void {
  const write = store.write.bind(store);
  let due = true;
  const scripted = async (op: Write, note?: WriteNote): Promise<WriteResult> => {
    if (due && matches(op)) {
      due = false;
      await first();
    }
    return write(op, note);
  };
  Object.assign(store, { write: scripted });
}

export const putOf =
  (end: string): Matches =>
  ({ op, key }) =>
    op === "put" && key.endsWith(end);

export const deletionOf =
  (end: string): Matches =>
  ({ op, key }) =>
    op === "delete" && key.endsWith(end);
