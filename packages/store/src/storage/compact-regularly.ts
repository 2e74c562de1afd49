/** Forgets history as kube-apiserver has etcd do. @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ */
import type { Clock } from "@coxswain/machinery";
import type { Store } from "./store.ts";

/** How often, and by which clock. */
export interface CompactionOptions {
  /** What is older than one to two of these is forgotten; 0 leaves that to the bounds of the store. Milliseconds. */
  readonly everyMs: number;
  readonly clock: Pick<Clock, "schedule">;
  /** The next time it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Until it is disposed of. Each time, what was the newest revision the time before is the oldest that is kept. */
export function compactRegularly(store: Pick<Store, "revision" | "compact">, { everyMs, clock, onError }: CompactionOptions): Disposable {
  let before = store.revision;
  const next = () => {
    const timer = clock.schedule(everyMs, () => {
      const reached = store.revision;
      store.compact(before).catch(onError);
      before = reached;
      current = next();
    });
    timer.unref();
    return timer;
  };
  let current = everyMs > 0 ? next() : undefined;
  return { [Symbol.dispose]: () => current?.[Symbol.dispose]() };
}
