/** What a PodDisruptionBudget allows, as its status has it for the API server, which decides on evictions by it. */
import type { policyV1 } from "@coxswain/api";
import { type Condition, withCondition } from "@coxswain/client";
import { deepEqual, millisOf } from "@coxswain/machinery";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import type { Budget, ExpectedPods } from "./expected-pods.ts";

export type BudgetStatus = policyV1.PodDisruptionBudgetStatus;

/** How long a Pod that was to be evicted may take until it is seen to go; after that it counts again. */
const deletionTimeoutMs = 120_000;

export interface Disrupted {
  /** Names and times, as the API server has noted them. */
  readonly pods: Readonly<Record<string, string>>;
  /** Those that were expected to go and are still here. */
  readonly notDeleted: readonly Pod[];
  readonly recheckAfterMs: number | undefined;
}

export function disruptedPods(pods: readonly Pod[], noted: BudgetStatus["disruptedPods"], nowMs: number): Disrupted {
  const waiting: Record<string, string> = {};
  const notDeleted: Pod[] = [];
  let recheckAfterMs: number | undefined;
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata ?? {};
    const time = noted?.[name];
    if (time === undefined || deletionTimestamp !== undefined) continue;
    const leftMs = (millisOf(time) ?? 0) + deletionTimeoutMs - nowMs;
    if (leftMs < 0) {
      notDeleted.push(pod);
      continue;
    }
    waiting[name] = time;
    recheckAfterMs = Math.min(recheckAfterMs ?? leftMs, leftMs);
  }
  return { pods: waiting, notDeleted, recheckAfterMs };
}

/** Undefined when nothing in it would change. */
export function nextStatus(
  { metadata, status = {} }: Budget,
  { expected, healthy }: ExpectedPods,
  { pods, disrupted, nowMs }: { readonly pods: readonly Pod[]; readonly disrupted: Disrupted["pods"]; readonly nowMs: number },
): BudgetStatus | undefined {
  const current = pods.filter((pod) => isHealthy(pod, disrupted, nowMs)).length;
  // Without Pods nothing is allowed either: the first ones may exist before this is written again.
  const allowed = expected <= 0 ? 0 : Math.max(0, current - healthy);
  const { generation: observedGeneration = 0 } = metadata ?? {};
  const condition =
    allowed > 0 ? ({ status: "True", reason: "SufficientPods" } as const) : ({ status: "False", reason: "InsufficientPods" } as const);
  const next: BudgetStatus = {
    conditions: withCondition(status.conditions, { type, ...condition, observedGeneration }, { now: () => nowMs }),
    currentHealthy: current,
    desiredHealthy: healthy,
    ...(Object.keys(disrupted).length > 0 && { disruptedPods: { ...disrupted } }),
    disruptionsAllowed: allowed,
    expectedPods: expected,
    observedGeneration,
  };
  return deepEqual(withoutMessages(next), withoutMessages(status)) ? undefined : next;
}

/** Allows no disruption, because how many Pods there should be is not known. */
export function failedStatus({ status = {} }: Budget, message: string, nowMs: number): BudgetStatus | undefined {
  const { observedGeneration } = status;
  const condition = { type, status: "False", reason: "SyncFailed", message, observedGeneration } as const;
  const next = { ...status, disruptionsAllowed: 0, conditions: withCondition(status.conditions, condition, { now: () => nowMs }) };
  return deepEqual(next, status) ? undefined : next;
}

const type = "DisruptionAllowed";

function isHealthy(pod: Pod, disrupted: Disrupted["pods"], nowMs: number): boolean {
  const { name = "", deletionTimestamp } = pod.metadata ?? {};
  const time = disrupted[name];
  const isToBeEvicted = time !== undefined && (millisOf(time) ?? 0) + deletionTimeoutMs > nowMs;
  return deletionTimestamp === undefined && !isToBeEvicted && isPodReady(pod);
}

/** A condition whose message alone differs is no reason to write. */
const withoutMessages = (status: BudgetStatus): unknown => ({
  ...status,
  conditions: status.conditions?.filter((one) => one.type === type).map((one: Condition) => [one.status, one.reason]),
});
