/** What is asked of a runtime before anything can go on. */
import { sleep } from "@coxswain/machinery";
import { ask, type SyncContext } from "../kuberuntime/sync-context.ts";
import type { PodRuntime } from "./pod-runtime.ts";

const retryMs = 1_000;

/** Asks until it answers. Rejects when the signal is aborted. */
export async function untilAnswered<T>(
  context: { readonly parts: Pick<SyncContext["parts"], "runtime"> } & Pick<SyncContext, "clock" | "log">,
  signal: AbortSignal,
  call: (runtime: PodRuntime, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, log } = context;
  for (;;) {
    try {
      return await ask(context, signal, call);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ error, againInMs: retryMs }, "the container runtime does not answer");
      await sleep(clock, retryMs, signal);
    }
  }
}
