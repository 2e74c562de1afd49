import { timeout } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ServerContext } from "../context.ts";

/** As long as Kubernetes lets a write try. */
const longestWaitMs = 34_000;

/**
 * Tries a write on what is stored under a key, in line with its other writers, and again from the new entry for as long as
 * somebody else was faster. `attempt` says "lost" for that. @throws timeout()
 */
export function untilWritten<T>(
  { store, locks, clock }: ServerContext,
  key: string,
  attempt: (entry: Entry | undefined) => Promise<T | "lost">,
): Promise<T> {
  const deadline = clock.monotonic() + longestWaitMs;
  return locks.run(key, async () => {
    while (clock.monotonic() < deadline) {
      const { entry } = await store.get(key);
      const outcome = await attempt(entry);
      if (outcome !== "lost") return outcome;
    }
    throw timeout("request did not complete within the allotted timeout");
  });
}
