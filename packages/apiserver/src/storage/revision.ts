import { type Clock, sleep } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";

const maxWaitMs = 3_000;
const stepMs = 50;

export interface RevisionSource {
  readonly store: Store;
  readonly clock: Clock;
}

/** Whether the store reaches a revision within the time that Kubernetes waits for one. */
export async function waitForRevision({ store, clock }: RevisionSource, revision: number): Promise<boolean> {
  const deadline = clock.monotonic() + maxWaitMs;
  while (store.revision < revision) {
    if (clock.monotonic() >= deadline) return false;
    await sleep(clock, stepMs);
  }
  return true;
}
