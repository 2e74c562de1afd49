/** A queue's figures under the names, labels and bounds of controller-runtime, so that its dashboards fit. */
import type { MetricsRegistry } from "@coxswain/machinery";
import type { QueueObserver, QueueStats } from "./work-queue.ts";

/** As controller-runtime numbers it. */
const lowPriority = "-100";
/** Seconds: ten nanoseconds and then always ten times as much. */
const bounds = Array.from({ length: 12 }, (_, i) => Number(`1e${i - 8}`));

/** Makes an observer that counts what happens to the queue of this name in the registry. */
export function queueObserver(registry: MetricsRegistry, name: string): QueueObserver {
  const labels = { name, controller: name };
  const adds = registry.counter("workqueue_adds_total", "Keys added to the queue", labels);
  const retries = registry.counter("workqueue_retries_total", "Keys added with a delay: backoffs and requeues", labels);
  const waited = registry.histogram("workqueue_queue_duration_seconds", "How long a key waited for a worker", labels, bounds);
  const worked = registry.histogram("workqueue_work_duration_seconds", "How long the work on a key took", labels, bounds);
  return {
    added: () => adds.add(),
    retried: () => retries.add(),
    claimed: (ms) => waited.observe(ms / 1000),
    released: (ms) => worked.observe(ms / 1000),
  };
}

/** Reports the queue's present state until disposed. */
export function exposeQueue(registry: MetricsRegistry, name: string, stats: () => QueueStats): Disposable {
  const labels = { name, controller: name };
  const depth = (priority: string, read: () => number): Disposable =>
    registry.gaugeOf("workqueue_depth", "Keys that wait for a worker", { ...labels, priority }, read);
  const gauges = [
    depth("0", () => stats().depth - stats().low),
    depth(lowPriority, () => stats().low),
    registry.gaugeOf(
      "workqueue_unfinished_work_seconds",
      "How long all keys that are worked on now have been, together; when it only grows, workers are stuck",
      labels,
      () => stats().unfinishedMs / 1000,
    ),
    registry.gaugeOf(
      "workqueue_longest_running_processor_seconds",
      "How long the key that is worked on longest has been",
      labels,
      () => stats().maxUnfinishedMs / 1000,
    ),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const gauge of gauges) gauge[Symbol.dispose]();
    },
  };
}
