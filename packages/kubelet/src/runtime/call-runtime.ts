/** Calls to the runtime, each of which ends. */
import type { Clock } from "@coxswain/machinery";
import { within } from "./deadline.ts";
import type { PodRuntime } from "./pod-runtime.ts";

/** Who calls a runtime: it, and the clock by which it is waited for. */
export interface RuntimeCaller {
  readonly dependencies: { readonly runtime: PodRuntime };
  readonly clock: Clock;
}

/** As long as a kubelet waits for an answer of its runtime. */
const answerMs = 120_000;

/** One call to the runtime, which ends. `extraMs` for what takes longer by its nature. */
export const callRuntime = <T>(
  { dependencies, clock }: RuntimeCaller,
  signal: AbortSignal,
  call: (runtime: PodRuntime, signal: AbortSignal) => Promise<T>,
  extraMs = 0,
): Promise<T> => within(clock, answerMs + extraMs, signal, (own) => call(dependencies.runtime, own));
