import {
  done,
  type KubeObject,
  type Lister,
  type ObjectRef,
  type Outcome,
  podDisruptionBudgets,
  pods,
  type ReconcileContext,
  requeue,
} from "@coxswain/client";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { BudgetStatus } from "./budget-status.ts";
import { budgetsOf } from "./budgets-of-pod.ts";
import type { Budget } from "./expected-pods.ts";
import type { ObservedBudget } from "./observe.ts";
import type { BudgetPlan } from "./plan.ts";

export async function act(
  ref: ObjectRef,
  ctx: ReconcileContext<Budget>,
  { observed: { budget, pods: observed }, planned }: { readonly observed: ObservedBudget; readonly planned: BudgetPlan },
  reported: WeakSet<Pod>,
): Promise<Outcome> {
  if (observed.kind !== "unknown") reportSeveral(ref, observed.selected, ctx, reported);
  for (const event of planned.events) ctx.events.record(budget, event, podDisruptionBudgets);
  for (const pod of planned.notDeleted) {
    const message = `Pod was expected by PDB ${ref.namespace}/${ref.namespace} to be deleted but it wasn't`;
    ctx.events.record(pod, { type: "Warning", reason: "NotDeleted", message }, pods);
  }
  await writeStatus(budget, planned.status, ctx);
  if (planned.error !== undefined) throw planned.error;
  return planned.recheckAfterMs === undefined ? done : requeue(Math.max(1, planned.recheckAfterMs + 1));
}

/** Records Pods that several budgets match: once for each version of a Pod, by the first of its budgets. */
function reportSeveral(
  { namespace, name }: ObjectRef,
  selected: readonly Pod[],
  { cache, events }: ReconcileContext<Budget>,
  reported: WeakSet<Pod>,
): void {
  if (cache(podDisruptionBudgets).list({ namespace }).length < 2) return;
  for (const pod of selected) {
    const [first, second] = budgetsOf(pod, cache(podDisruptionBudgets) as Lister<Budget> as Lister<KubeObject>);
    if (second === undefined || first?.name !== name || reported.has(pod)) continue;
    reported.add(pod);
    const which = `Pod ${JSON.stringify(namespace)}/${JSON.stringify(pod.metadata?.name)}`;
    const message = `${which} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(name)} arbitrarily.`;
    events.record(pod, { type: "Warning", reason: "MultiplePodDisruptionBudgets", message }, pods);
  }
}

async function writeStatus(budget: Budget, status: BudgetStatus | undefined, { client, signal }: ReconcileContext<Budget>): Promise<void> {
  if (status === undefined) return;
  await client.resource(podDisruptionBudgets, budget.metadata?.namespace).updateStatus({ ...budget, status }, { signal });
}
