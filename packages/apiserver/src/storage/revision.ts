import { sleep } from "@coxswain/machinery";
import type { ServerContext } from "../context.ts";

const maxWaitMs = 3_000;
const stepMs = 50;

/** Whether the store reaches a revision within the time that Kubernetes waits for one. */
export async function waitForRevision(server: ServerContext, revision: number): Promise<boolean> {
  const deadline = server.clock.monotonic() + maxWaitMs;
  while (server.store.revision < revision) {
    if (server.clock.monotonic() >= deadline) return false;
    await sleep(server.clock, stepMs);
  }
  return true;
}
