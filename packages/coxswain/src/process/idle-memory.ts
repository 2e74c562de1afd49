/**
 * Gives memory back that a thread has needed and needs no more. V8 collects the old generation when it has grown by as much again as was left of it, and
 * keeps a young one as large as it ever was: at rest neither changes any more.
 */
import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "@coxswain/machinery";

/** Between two probes. */
const periodMs = 10_000;
/** Of the period: who has worked for longer is not at rest. */
const maxUtilization = 0.02;
/** Less is not worth the pause. Bytes. */
const minGrowth = 24 * 1024 * 1024;
/** With more the pause would be long, a fifth of a second: V8 decides alone. Bytes. */
const maxHeap = 256 * 1024 * 1024;

/** What is looked at, of the thread that asks. */
export interface IdleMemorySource {
  /** The share of the time since it was asked last in which the thread did something. */
  utilization(): number;
  /** What V8 has taken for the heap. Bytes. */
  heapSize(): number;
  /** Collects all that nobody refers to, and gives back what that leaves empty. */
  collect(): void;
}

/** Of the calling thread, until disposed. */
export function releaseMemoryWhenIdle(clock: Pick<Clock, "schedule">, source: IdleMemorySource = threadMemory()): Disposable {
  let settled = 0;
  let timer: Timer;
  const probe = (): void => {
    timer = probeLater();
    if (source.utilization() > maxUtilization) return;
    const size = source.heapSize();
    if (size > maxHeap || size < settled + minGrowth) return;
    source.collect();
    settled = source.heapSize();
  };
  const probeLater = (): Timer => {
    const next = clock.schedule(periodMs, probe);
    next.unref();
    return next;
  };
  timer = probeLater();
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** Of the calling thread. */
export function threadMemory(): IdleMemorySource {
  let last = performance.eventLoopUtilization();
  return {
    utilization: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heapSize: () => getHeapStatistics().total_heap_size,
    collect: () => {
      setFlagsFromString("--expose-gc");
      const gc = runInNewContext("gc") as (options: object) => void;
      setFlagsFromString("--no-expose-gc");
      gc({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}
