/**
 * Ends one container: its preStop hook, its turn among the others and its own end share one grace period.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination
 */
import { sleep } from "@coxswain/machinery";
import { recordContainerEvent } from "../events/record-events.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { callRuntime } from "../runtime/call-runtime.ts";
import type { KillReason } from "./pod-actions.ts";
import type { SyncContext } from "./sync-context.ts";
import type { TerminationOrder } from "./termination-order.ts";

export interface KillRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly id: string;
  /** Of the Killing event; empty for the usual one. */
  readonly message: string;
  readonly reason: KillReason;
  readonly podIp: string;
  /** Instead of what the Pod says. */
  readonly graceSeconds?: number;
  readonly order?: TerminationOrder;
  /** Ids of containers whose end was recorded and whose hook has run: they are killed again, with less grace. */
  readonly begun?: Set<string>;
}

/** Nothing dies without any. */
const minGraceSeconds = 2;

export async function killContainer(ctx: SyncContext, request: KillRequest, signal: AbortSignal): Promise<void> {
  const { pod, container, id, order, begun } = request;
  const isAgain = begun?.has(id) === true;
  begun?.add(id);
  if (!isAgain) {
    const message = request.message || `Stopping container ${container.name}`;
    recordContainerEvent(ctx, pod, container, { type: "Normal", reason: "Killing", message, id });
  }
  const startedAt = ctx.clock.monotonic();
  const grace = request.graceSeconds ?? graceSecondsOf(pod, container, request.reason);
  const left = (): number => grace - Math.floor((ctx.clock.monotonic() - startedAt) / 1000);
  try {
    if (!isAgain && grace > 0) await preStop(ctx, request, grace, signal);
    if (left() > 0) await order?.turnOf(container.name, left(), signal);
    const seconds = Math.max(left(), minGraceSeconds);
    await callRuntime(ctx, signal, (runtime, own) => runtime.stopContainer(id, seconds, own), seconds * 1000);
  } finally {
    order?.markEnded(container.name);
  }
}

/** What the API server grants, or else what the probe that failed, or the Pod, asks for. */
export function graceSecondsOf({ metadata, spec }: Pod, container: Container, reason: KillReason): number {
  const probe = reason === "startupProbe" ? container.startupProbe : reason === "livenessProbe" ? container.livenessProbe : undefined;
  return (
    metadata?.deletionGracePeriodSeconds ?? probe?.terminationGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? minGraceSeconds
  );
}

/** A hook that takes longer than the grace period is no longer waited for. */
async function preStop(
  ctx: SyncContext,
  { pod, container, id, podIp }: KillRequest,
  graceSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  const hook = container.lifecycle?.preStop;
  if (hook === undefined) return;
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal]);
  const run = ctx.dependencies.hooks.run({ pod, container, id, podIp }, hook, limit).catch(() => {
    if (!limit.aborted)
      recordContainerEvent(ctx, pod, container, { type: "Warning", reason: "FailedPreStopHook", message: "PreStopHook failed" });
  });
  const done = new AbortController();
  const time = sleep(ctx.clock, graceSeconds * 1000, AbortSignal.any([signal, done.signal])).catch(() => undefined);
  await Promise.race([run, time]);
  done.abort();
  over.abort();
  signal.throwIfAborted();
}
