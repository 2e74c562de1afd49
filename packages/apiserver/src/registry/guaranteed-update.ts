import { type Clock, type StatusError, timeout } from "@coxswain/machinery";
import type { Entry, Store } from "@coxswain/store";
import type { KeyedLock } from "../storage/keyed-lock.ts";

/** As long as Kubernetes lets a write try. */
export const maxWaitMs = 34_000;

export const requestTimedOut = (): StatusError => timeout("request did not complete within the allotted timeout");

export interface GuaranteedUpdateServices {
  readonly store: Pick<Store, "get">;
  readonly locks: KeyedLock;
  readonly clock: Clock;
}

/**
 * Kubernetes' GuaranteedUpdate. Tries a write on what is stored under a key, and again from the new entry for as long as another writer was faster. It is
 * tried at least once. `attempt` says "conflict" for that. @throws timeout()
 * @param inLine waits for the key's other writers first; not for an update that may wait for another server meanwhile
 */
export function guaranteedUpdate<T>(
  { store, locks, clock }: GuaranteedUpdateServices,
  key: string,
  attempt: (entry: Entry | undefined) => Promise<T | "conflict">,
  { inLine }: { readonly inLine: boolean } = { inLine: true },
): Promise<T> {
  const write = async (): Promise<T> => {
    const deadline = clock.monotonic() + maxWaitMs;
    do {
      const { entry } = await store.get(key);
      const outcome = await attempt(entry);
      if (outcome !== "conflict") return outcome;
    } while (clock.monotonic() < deadline);
    throw requestTimedOut();
  };
  return inLine ? locks.run(key, write) : write();
}
