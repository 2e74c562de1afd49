/** Ends all of a Pod: its containers in their order, then its sandboxes. */
import { messageOf } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import { findContainer, initial, isSidecar, type PodState } from "../pod/pod-state.ts";
import { callRuntime } from "../runtime/call-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { killContainer } from "./kill-container.ts";
import type { SyncContext } from "./sync-context.ts";
import { TerminationOrder } from "./termination-order.ts";

export interface KillPodRequest {
  readonly pod: Pod;
  readonly state: PodState;
  /** Instead of what the Pod says. */
  readonly graceSeconds?: number;
  readonly begun?: Set<string>;
}

/** @throws AggregateError after everything was tried */
export async function killPod(ctx: SyncContext, { pod, state, ...options }: KillPodRequest, signal: AbortSignal): Promise<void> {
  const running = state.containers.filter((one) => one.state === "running");
  const order = initial(pod).some(isSidecar)
    ? new TerminationOrder(
        ctx.clock,
        pod,
        running.map(({ name }) => name),
      )
    : undefined;
  const common = {
    pod,
    message: "",
    reason: "unknown",
    podIp: state.ips[0] ?? "",
    ...options,
    ...(order === undefined ? {} : { order }),
  } as const;
  const kills = running.map(({ id, name }) =>
    killContainer(ctx, { ...common, id, container: findContainer(pod, name) ?? { name } }, signal),
  );
  const errors = await problemsOf(kills.map(unlessGone));
  signal.throwIfAborted();
  errors.push(...(await stopSandboxes(ctx, state, signal)));
  if (errors.length > 0) throw new AggregateError(errors, errors.map(messageOf).join(", "));
}

/** Of which nothing is known but what the runtime has. */
export async function killOrphan(ctx: SyncContext, state: PodState, signal: AbortSignal): Promise<void> {
  const running = state.containers.filter((one) => one.state === "running");
  const stops = running.map(({ id }) => unlessGone(callRuntime(ctx, signal, (runtime, own) => runtime.stopContainer(id, 1, own), 1_000)));
  const errors = [...(await problemsOf(stops)), ...(await stopSandboxes(ctx, state, signal))];
  if (errors.length > 0) throw new AggregateError(errors, "a Pod that nobody wants cannot be killed");
}

const stopSandboxes = (ctx: SyncContext, { sandboxes }: PodState, signal: AbortSignal): Promise<unknown[]> =>
  problemsOf(sandboxes.map(({ id }) => unlessGone(callRuntime(ctx, signal, (runtime, own) => runtime.stopPodSandbox(id, own)))));

async function problemsOf(work: readonly Promise<void>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(work);
  return outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
}

/** What is not there need not be ended. */
export const unlessGone = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    if (!(error instanceof RuntimeError && error.kind === "notFound")) throw error;
  });
