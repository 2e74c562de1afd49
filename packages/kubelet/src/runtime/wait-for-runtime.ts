/** What is asked of a runtime before anything can go on. */
import { sleep } from "@coxswain/machinery";
import { callRuntime, type RuntimeCaller } from "./call-runtime.ts";
import type { PodRuntime } from "./pod-runtime.ts";

interface WarningLog {
  warn(fields: object, message: string): void;
}

const retryMs = 1_000;

/** Asks until it answers. Rejects when the signal is aborted. */
export async function waitForRuntime<T>(
  context: RuntimeCaller & { readonly log: WarningLog },
  signal: AbortSignal,
  call: (runtime: PodRuntime, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, log } = context;
  for (;;) {
    try {
      return await callRuntime(context, signal, call);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ error, againInMs: retryMs }, "failed to reach the container runtime");
      await sleep(clock, retryMs, signal);
    }
  }
}
