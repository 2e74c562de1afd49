/** What an autoscaler says of itself: in its status, which is written once, and in Events. */
import { horizontalPodAutoscalers, type ReconcileContext, type RecordedEvent } from "@coxswain/client";
import { deepEqual, wireTime } from "@coxswain/machinery";
import type { Hpa, HpaCondition, HpaStatus, MetricStatus } from "./hpa-types.ts";

export class HpaReport {
  /** As far as they have been measured. */
  metrics: readonly MetricStatus[] = [];
  readonly #ctx: ReconcileContext<Hpa>;
  readonly #hpa: Hpa;
  readonly #nowMs: number;
  #status: HpaStatus;

  constructor(ctx: ReconcileContext<Hpa>, hpa: Hpa, nowMs: number) {
    this.#ctx = ctx;
    this.#hpa = hpa;
    this.#nowMs = nowMs;
    this.#status = hpa.status ?? { desiredReplicas: 0 };
  }

  /** As it was said last. */
  get desiredReplicas(): number {
    return this.#status.desiredReplicas;
  }

  say(type: string, holds: boolean, reason: string, message: string): void {
    const condition = { type, status: holds ? "True" : "False", reason, message };
    this.#status = { ...this.#status, conditions: withHpaCondition(this.#status.conditions ?? [], condition, this.#nowMs) };
  }

  tell(event: RecordedEvent): void {
    this.#ctx.events.record(this.#hpa, event, horizontalPodAutoscalers);
  }

  warn(reason: string, message: string): void {
    this.tell({ type: "Warning", reason, message });
  }

  /** Of a look that found out nothing else. */
  writeConditions(): Promise<void> {
    return this.#write(this.#status);
  }

  write(current: number, desired: number, isRescale: boolean): Promise<void> {
    const { lastScaleTime, conditions } = this.#status;
    const scaledAt = isRescale ? wireTime(this.#nowMs) : lastScaleTime;
    return this.#write({
      ...(current === 0 ? {} : { currentReplicas: current }),
      desiredReplicas: desired,
      ...(this.metrics.length === 0 ? {} : { currentMetrics: [...this.metrics] }),
      ...(scaledAt === undefined ? {} : { lastScaleTime: scaledAt }),
      ...(conditions === undefined ? {} : { conditions }),
    });
  }

  /** Nothing is sent when nothing changes. */
  async #write(status: HpaStatus): Promise<void> {
    const { client, signal } = this.#ctx;
    if (deepEqual(comparable(status), comparable(this.#hpa.status))) return;
    try {
      await client.resource(horizontalPodAutoscalers, this.#hpa.metadata?.namespace).updateStatus({ ...this.#hpa, status }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      this.warn("FailedUpdateStatus", error instanceof Error ? error.message : String(error));
      throw error;
    }
  }
}

/** No metrics, an empty list of them and null are the same. */
function comparable(status: HpaStatus | undefined): unknown {
  const { currentMetrics, ...rest } = status ?? { desiredReplicas: 0 };
  return currentMetrics === undefined || currentMetrics === null || currentMetrics.length === 0 ? rest : { ...rest, currentMetrics };
}

/** In the place of the one of its type. The time stays as long as the status does. */
function withHpaCondition(list: readonly HpaCondition[], next: Omit<HpaCondition, "lastTransitionTime">, nowMs: number): HpaCondition[] {
  const at = list.findIndex(({ type }) => type === next.type);
  const before = list[at];
  const since = before?.status === next.status ? before.lastTransitionTime : wireTime(nowMs);
  const condition = { ...next, ...(since === undefined ? {} : { lastTransitionTime: since }) };
  return before === undefined ? [...list, condition] : list.with(at, condition);
}
