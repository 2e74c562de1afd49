/** How long what has failed stays on a Node before it is replaced: longer each time, as a kubelet may refuse whatever comes. */
import type { DaemonSet } from "./daemon-pod.ts";

const firstMs = 1_000;
const maxMs = 15 * 60_000;

interface Pause {
  readonly ms: number;
  readonly sinceMs: number;
}

/** In memory: it restarts with the process. */
export class FailedPods {
  readonly #pauses = new Map<string, Pause>();

  /** What is left of the pause in milliseconds; undefined when there is none. */
  pauseOn(daemonSet: DaemonSet, node: string, nowMs: number): number | undefined {
    const pause = this.#pauses.get(keyOf(daemonSet, node));
    if (pause === undefined) return undefined;
    const leftMs = pause.sinceMs + pause.ms - nowMs;
    return leftMs > 0 ? leftMs : undefined;
  }

  replaced(daemonSet: DaemonSet, node: string, nowMs: number): void {
    this.#forgetExpired(nowMs);
    const key = keyOf(daemonSet, node);
    const last = this.#pauses.get(key);
    this.#pauses.delete(key);
    this.#pauses.set(key, { ms: last === undefined ? firstMs : Math.min(2 * last.ms, maxMs), sinceMs: nowMs });
  }

  /** The oldest come first. */
  #forgetExpired(nowMs: number): void {
    for (const [key, { sinceMs }] of this.#pauses) {
      if (nowMs - sinceMs <= 2 * maxMs) return;
      this.#pauses.delete(key);
    }
  }
}

/** A new spec may be one that does not fail. */
const keyOf = ({ metadata, status }: DaemonSet, node: string): string => `${metadata?.uid}/${status?.observedGeneration ?? 0}/${node}`;
