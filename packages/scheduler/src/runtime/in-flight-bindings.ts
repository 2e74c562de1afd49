/** Pods that have been assumed on a node and are not bound yet: they wait at Permit, or are in PreBind. */
import { type Clock, DisposableStack, formatGoDuration } from "@coxswain/machinery";
import type { WaitingPod } from "../framework/handle.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { type Status, unschedulable } from "../framework/status.ts";

/** No plugin makes a Pod wait for longer, as in kube-scheduler. */
const maxPermitWaitMs = 15 * 60_000;

interface AssumedPod {
  readonly pod: PodInfo;
  readonly node: string;
}

export class InFlightBindings {
  readonly #clock: Clock;
  readonly #pods = new Map<string, WaitingPod>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(uid: string): WaitingPod | undefined {
    return this.#pods.get(uid);
  }

  waitingAtPermit(): readonly WaitingPod[] {
    return [...this.#pods.values()].filter((waiting) => waiting.pendingPlugins().length > 0);
  }

  /** Resolves when all plugins have allowed the Pod, with undefined, or when one rejects it or its timeout is over. */
  async waitOnPermit({ pod, node }: AssumedPod, waits: ReadonlyMap<string, number>, signal: AbortSignal): Promise<Status | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Status | undefined>();
    const left = new Set(waits.keys());
    using timers = new DisposableStack();
    for (const [plugin, waitMs] of waits) {
      const ms = Math.min(waitMs, maxPermitWaitMs);
      const timeout = unschedulable(`rejected due to timeout after waiting ${formatGoDuration(ms)} at plugin ${plugin}`);
      timers.use(this.#clock.schedule(ms, () => resolve({ ...timeout, plugin })));
    }
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    timers.defer(() => signal.removeEventListener("abort", onAbort));
    this.#pods.set(pod.uid, {
      pod,
      node,
      pendingPlugins: () => [...left],
      allow: (plugin) => {
        left.delete(plugin);
        if (left.size === 0) resolve(undefined);
      },
      reject: (plugin, reason) => resolve({ ...unschedulable(reason), plugin }),
    });
    timers.defer(() => this.#pods.delete(pod.uid));
    signal.throwIfAborted();
    return await promise;
  }

  /** Runs what comes before Bind: rejecting the Pod meanwhile aborts the signal that `work` is given. */
  async duringPreBind<T>({ pod, node }: AssumedPod, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const rejected = new AbortController();
    const reject = (_plugin: string, reason: string): void => rejected.abort(new Error(reason));
    this.#pods.set(pod.uid, { pod, node, pendingPlugins: () => [], allow: () => undefined, reject });
    try {
      const result = await work(AbortSignal.any([signal, rejected.signal]));
      rejected.signal.throwIfAborted();
      return result;
    } finally {
      this.#pods.delete(pod.uid);
    }
  }
}
