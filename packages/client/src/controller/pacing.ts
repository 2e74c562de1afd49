/**
 * Gathers what happens to one object while its reconcile is expensive. What a set of thousands of Pods costs to look at is
 * paid for each look, and each of its Pods changes several times: without a pause the looks would take all the time there is.
 */
import type { Clock } from "@coxswain/machinery";
import type { ObjectRef } from "../contracts/resource-ref.ts";
import type { AddOptions, WorkQueue } from "../workqueue/work-queue.ts";

/** Cheaper ones come as they come. Milliseconds. */
const minPacedMs = 4;
/** The pause is so many times as long as the reconcile was, so that one object takes at most a quarter of the time. */
const pauseFactor = 3;
const maxPauseMs = 250;
/** Pauses that are over are forgotten when there are so many. */
const sweepAt = 1_000;

export interface Pacing {
  /** To the queue: at once, after the pause, or when the reconcile that is under way has ended. */
  add(ref: ObjectRef, opts: AddOptions): void;
  began(ref: ObjectRef): void;
  /** To be called before the queue's claim is released. */
  ended(ref: ObjectRef, tookMs: number): void;
}

export const idOf = ({ namespace, name }: ObjectRef): string => `${namespace ?? ""}/${name}`;

export function createPacing(queue: Pick<WorkQueue<ObjectRef>, "add">, clock: Clock): Pacing {
  /** Under way; the options with which they are to come again. */
  const running = new Map<string, AddOptions | undefined>();
  const pausedUntil = new Map<string, number>();
  const pauseOf = (id: string): number => Math.max(0, (pausedUntil.get(id) ?? 0) - clock.monotonic());
  const later = (ref: ObjectRef, opts: AddOptions, pauseMs: number): void =>
    queue.add(ref, pauseMs === 0 ? opts : { ...opts, afterMs: Math.max(pauseMs, opts.afterMs ?? 0) });
  const sweep = (): void => {
    for (const id of pausedUntil.keys()) if (pauseOf(id) === 0) pausedUntil.delete(id);
  };
  return {
    add: (ref, opts) => {
      const id = idOf(ref);
      // What is news once is news, however much of what comes after it is not.
      if (running.has(id)) running.set(id, running.get(id)?.priority === "normal" ? { ...opts, priority: "normal" } : opts);
      else later(ref, opts, pauseOf(id));
    },
    began: (ref) => void running.set(idOf(ref), undefined),
    ended: (ref, tookMs) => {
      const id = idOf(ref);
      const again = running.get(id);
      running.delete(id);
      const pauseMs = tookMs < minPacedMs ? 0 : Math.min(maxPauseMs, pauseFactor * tookMs);
      if (pauseMs > 0) pausedUntil.set(id, clock.monotonic() + pauseMs);
      else pausedUntil.delete(id);
      if (pausedUntil.size >= sweepAt) sweep();
      if (again !== undefined) later(ref, again, pauseMs);
    },
  };
}
