import { type Clock, sleep } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";

const maxWaitMs = 3_000;
const stepMs = 50;

export interface RevisionSource {
  readonly store: Pick<Store, "revision" | "freshen">;
  readonly clock: Clock;
}

/** What writes of objects ask of a store. */
export type WritableStore = Pick<Store, "get" | "write" | "expires" | "isStale">;

/** What can be read of a store. */
export type ReadableStore = Pick<Store, "revision" | "freshen" | "get" | "list">;

/** Whether the store reaches a revision within the time that Kubernetes waits for one. */
export async function waitForRevision({ store, clock }: RevisionSource, revision: number): Promise<boolean> {
  if (store.revision >= revision) return true;
  const deadline = clock.monotonic() + maxWaitMs;
  // It may be a revision in which none of the store's keys has changed, which only asking shows. Without an answer it stays unreached.
  let asked = store.freshen?.().catch(() => undefined);
  while (store.revision < revision) {
    if (clock.monotonic() >= deadline) return false;
    const pause = sleep(clock, stepMs);
    await (asked === undefined ? pause : Promise.race([asked, pause]));
    asked = undefined;
  }
  return true;
}
