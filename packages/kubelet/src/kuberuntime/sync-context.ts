/** What whoever does something about a Pod works with. */
import type { EventRecorder, RecordedEvent } from "@coxswain/client";
import { pods } from "@coxswain/client";
import type { Clock } from "@coxswain/machinery";
import type { PodMetrics } from "../metrics/pod-metrics.ts";
import type { Container, KubeletParts, Pod } from "../parts.ts";
import { fieldPathOf } from "../pod/pod-state.ts";
import { within } from "../runtime/deadline.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";

export interface SyncLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface SyncContext {
  readonly parts: KubeletParts;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, "record">;
  readonly log: SyncLog;
  readonly metrics: PodMetrics;
}

type EventType = RecordedEvent["type"];

export function tellPod({ events }: Pick<SyncContext, "events">, pod: Pod, type: EventType, reason: string, message: string): void {
  events.record(pod, { type, reason, message }, pods);
}

/** `id` is replaced by the container's name: a text that is different each time would not be counted as one event. */
export function tellContainer(
  { events }: Pick<SyncContext, "events">,
  pod: Pod,
  container: Pick<Container, "name">,
  { type, reason, message, id = "" }: { readonly type: EventType; readonly reason: string; readonly message: string; readonly id?: string },
): void {
  const text = id === "" ? message : message.replaceAll(id, container.name);
  events.record(pod, { type, reason, message: text, fieldPath: fieldPathOf(pod, container) }, pods);
}

/** As long as a kubelet waits for an answer of its runtime. */
const answerMs = 120_000;

/** One call to the runtime, which ends. `extraMs` for what takes longer by its nature. */
export const ask = <T>(
  { parts, clock }: { readonly parts: Pick<KubeletParts, "runtime"> } & Pick<SyncContext, "clock">,
  signal: AbortSignal,
  call: (runtime: PodRuntime, signal: AbortSignal) => Promise<T>,
  extraMs = 0,
): Promise<T> => within(clock, answerMs + extraMs, signal, (own) => call(parts.runtime, own));
