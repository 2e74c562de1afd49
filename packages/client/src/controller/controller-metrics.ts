/** A controller's figures under the names, labels and bounds of controller-runtime. */
import type { MetricsRegistry } from "@coxswain/machinery";

export type ReconcileResult = "success" | "error" | "requeue" | "requeue_after";

export interface ControllerMetrics {
  ended(result: ReconcileResult, tookMs: number): void;
  gaveUp(): void;
  timedOut(): void;
  /** One more worker is at work, or one fewer. */
  working(by: 1 | -1): void;
}

/** Seconds. */
const bounds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const results: readonly ReconcileResult[] = ["success", "error", "requeue", "requeue_after"];

export function controllerMetrics(registry: MetricsRegistry, controller: string, concurrency: number): ControllerMetrics {
  const labels = { controller };
  const counter = (name: string, help: string) => registry.counter(`controller_runtime_${name}`, help, labels);
  const ended = Object.fromEntries(
    results.map((result) => [
      result,
      registry.counter("controller_runtime_reconcile_total", "Reconciles by result", { ...labels, result }),
    ]),
  );
  const errors = counter("reconcile_errors_total", "Reconciles that failed");
  const unretryable = counter("terminal_reconcile_errors_total", "Reconciles that failed and are not repeated");
  const timeouts = counter("reconcile_timeouts_total", "Reconciles that took too long");
  const time = registry.histogram("controller_runtime_reconcile_time_seconds", "How long a reconcile took", labels, bounds);
  const active = registry.gauge("controller_runtime_active_workers", "Workers at work", labels);
  registry.gauge("controller_runtime_max_concurrent_reconciles", "How many objects are reconciled at a time", labels).set(concurrency);
  let working = 0;
  return {
    ended: (result, tookMs) => {
      ended[result]?.add();
      if (result === "error") errors.add();
      time.observe(tookMs / 1000);
    },
    gaveUp: () => unretryable.add(),
    timedOut: () => timeouts.add(),
    working: (by) => {
      working += by;
      active.set(working);
    },
  };
}
