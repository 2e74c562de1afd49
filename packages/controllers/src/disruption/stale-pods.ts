/** Removes the condition DisruptionTarget from Pods that were to be disrupted and were not. */
import { type Controller, controller, done, type Outcome, pods, type ReconcileContext, requeue } from "@coxswain/client";
import { millisOf, wireTime } from "@coxswain/machinery";
import { isPodTerminal, type Pod, podCondition } from "../shared/pods/pod-state.ts";

const staleAfterMs = 120_000;

export const stalePods = (): Controller =>
  controller<Pod>({
    name: "disruption-controller-stale-pods",
    component: "controllermanager",
    for: pods,
    predicate: ({ type, object }) => type !== "deleted" && staleDisruptionMs(object, 0) !== undefined,
    reconcile: async (_ref, ctx): Promise<Outcome> => {
      const observed = observe(ctx);
      return observed === undefined ? done : await act(ctx, observed, plan(observed));
    },
  });

interface ObservedPod {
  readonly pod: Pod;
  readonly nowMs: number;
}

const observe = ({ object: pod, client }: ReconcileContext<Pod>): ObservedPod | undefined => pod && { pod, nowMs: client.clock.now() };

type StalePodPlan = { readonly do: "nothing" | "remove" } | { readonly do: "wait"; readonly afterMs: number };

export function plan({ pod, nowMs }: ObservedPod): StalePodPlan {
  const afterMs = staleDisruptionMs(pod, nowMs);
  if (afterMs === undefined) return { do: "nothing" };
  return afterMs > 0 ? { do: "wait", afterMs } : { do: "remove" };
}

async function act({ client, signal }: ReconcileContext<Pod>, { pod, nowMs }: ObservedPod, planned: StalePodPlan): Promise<Outcome> {
  if (planned.do === "wait") return requeue(planned.afterMs);
  if (planned.do === "remove") await client.resource(pods, pod.metadata?.namespace).updateStatus(withoutDisruption(pod, nowMs), { signal });
  return done;
}

/** Milliseconds until the condition is stale; undefined for a Pod that does not have it, or rightly has it. */
export function staleDisruptionMs(pod: Pod, nowMs: number): number | undefined {
  const condition = podCondition(pod, "DisruptionTarget");
  if (condition?.status !== "True" || pod.metadata?.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined;
  // The kubelet ends a Pod itself, in its own time.
  if (condition.reason === "TerminationByKubelet") return undefined;
  return Math.max(0, (millisOf(condition.lastTransitionTime) ?? 0) + staleAfterMs - nowMs);
}

export function withoutDisruption(pod: Pod, nowMs: number): Pod {
  const conditions = (pod.status?.conditions ?? []).map((condition) =>
    condition.type === "DisruptionTarget" ? { type: condition.type, status: "False", lastTransitionTime: wireTime(nowMs) } : condition,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}
