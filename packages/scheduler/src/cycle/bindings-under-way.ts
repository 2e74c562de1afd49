/** Pods that have a node and are not bound yet: they wait for leave, or for what comes before binding. */
import { type Clock, formatGoDuration } from "@coxswain/machinery";
import type { PodInfo } from "../framework/pod-info.ts";
import { unschedulable, type Verdict } from "../framework/verdict.ts";

/** No plugin makes a Pod wait for longer. */
const longestWaitMs = 15 * 60_000;

interface UnderWay {
  readonly pod: PodInfo;
  readonly node: string;
  /** Ends the binding; false: it is too late. */
  stop(plugin: string, reason: string): boolean;
  allow(plugin: string): void;
  waitsFor(): readonly string[];
}

export class BindingsUnderWay {
  readonly #clock: Clock;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  waiting(): { readonly pod: PodInfo; readonly node: string; readonly waitsFor: readonly string[] }[] {
    const all = Array.from(this.#underWay.values(), ({ pod, node, waitsFor }) => ({ pod, node, waitsFor: waitsFor() }));
    return all.filter(({ waitsFor }) => waitsFor.length > 0);
  }

  allow(uid: string, plugin: string): boolean {
    const found = this.#underWay.get(uid);
    found?.allow(plugin);
    return found !== undefined;
  }

  stop(uid: string, reason: string, plugin = ""): boolean {
    return this.#underWay.get(uid)?.stop(plugin, reason) === true;
  }

  /** Until all plugins have given leave, or one refuses, or the time of one is over. Undefined: go on. */
  async permitted(
    { pod, node }: { readonly pod: PodInfo; readonly node: string },
    waits: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<Verdict | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Verdict | undefined>();
    const left = new Set(waits.keys());
    using timers = new DisposableStack();
    for (const [plugin, waitMs] of waits) {
      const ms = Math.min(waitMs, longestWaitMs);
      const refusal = unschedulable(`rejected due to timeout after waiting ${formatGoDuration(ms)} at plugin ${plugin}`);
      timers.use(this.#clock.schedule(ms, () => resolve({ ...refusal, plugin })));
    }
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    timers.defer(() => signal.removeEventListener("abort", onAbort));
    this.#underWay.set(pod.uid, {
      pod,
      node,
      stop: (plugin, reason) => {
        resolve({ ...unschedulable(reason), plugin });
        return true;
      },
      allow: (plugin) => {
        left.delete(plugin);
        if (left.size === 0) resolve(undefined);
      },
      waitsFor: () => [...left],
    });
    timers.defer(() => this.#underWay.delete(pod.uid));
    signal.throwIfAborted();
    return await promise;
  }

  /** What comes before binding: who stops the Pod meanwhile aborts the signal that `work` is given. */
  async stoppable<T>(
    { pod, node }: { readonly pod: PodInfo; readonly node: string },
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const stopped = new AbortController();
    const stop = (_plugin: string, reason: string): boolean => {
      stopped.abort(new Error(reason));
      return true;
    };
    this.#underWay.set(pod.uid, { pod, node, stop, allow: () => undefined, waitsFor: () => [] });
    try {
      const result = await work(AbortSignal.any([signal, stopped.signal]));
      stopped.signal.throwIfAborted();
      return result;
    } finally {
      this.#underWay.delete(pod.uid);
    }
  }
}
