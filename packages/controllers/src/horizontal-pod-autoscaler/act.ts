/** Rescales the target, writes the status, and records what happened. */
import { horizontalPodAutoscalers, type ReconcileContext, type RecordedEvent } from "@coxswain/client";
import { deepEqual, messageOf } from "@coxswain/machinery";
import type { HpaKey, HpaMemory } from "./hpa-memory.ts";
import { comparableStatus } from "./hpa-status.ts";
import type { Hpa, HpaStatus } from "./hpa-types.ts";
import type { ObservedHpa } from "./observe.ts";
import { type HpaPlan, planAfterRescale } from "./plan.ts";
import { rescale } from "./scale-target.ts";

interface Remembering {
  readonly key: HpaKey;
  readonly memory: HpaMemory;
}

/** @throws Error with what the autoscaler could not do */
export async function act(
  ctx: ReconcileContext<Hpa>,
  { key, memory }: Remembering,
  observed: ObservedHpa,
  planned: HpaPlan,
): Promise<void> {
  const { hpa, target } = observed;
  memory.keepHistory(key, planned.history);
  for (const event of planned.events) record(ctx, hpa, event);
  if (planned.rescale !== undefined && target.kind === "found") {
    let failure: unknown;
    try {
      await rescale(ctx.client, target.ref, planned.rescale.to, ctx.signal);
    } catch (error) {
      ctx.signal.throwIfAborted();
      failure = error;
    }
    const { event, status, history } = planAfterRescale(
      observed,
      planned,
      planned.rescale,
      failure === undefined ? undefined : messageOf(failure),
    );
    record(ctx, hpa, event);
    memory.keepHistory(key, history);
    await writeStatus(ctx, hpa, status);
    if (failure !== undefined) throw failure;
    return;
  }
  await writeStatus(ctx, hpa, planned.status);
  if (planned.failure === undefined) return;
  if (planned.failure.event !== undefined) record(ctx, hpa, planned.failure.event);
  throw planned.failure.error;
}

const record = ({ events }: ReconcileContext<Hpa>, hpa: Hpa, event: RecordedEvent): void =>
  events.record(hpa, event, horizontalPodAutoscalers);

/** Nothing is sent when nothing changes. */
async function writeStatus(ctx: ReconcileContext<Hpa>, hpa: Hpa, status: HpaStatus): Promise<void> {
  const { client, signal } = ctx;
  if (deepEqual(comparableStatus(status), comparableStatus(hpa.status))) return;
  try {
    await client.resource(horizontalPodAutoscalers, hpa.metadata?.namespace).updateStatus({ ...hpa, status }, { signal });
  } catch (error) {
    signal.throwIfAborted();
    record(ctx, hpa, { type: "Warning", reason: "FailedUpdateStatus", message: messageOf(error) });
    throw error;
  }
}
