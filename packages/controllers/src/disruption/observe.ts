import { type ObjectRef, pods, type ReconcileContext } from "@coxswain/client";
import type { Pod } from "../shared/pods/pod-state.ts";
import { selectorOf } from "./budgets-of-pod.ts";
import { type Budget, type ExpectedPods, expectedPods } from "./expected-pods.ts";
import { workloadFinder } from "./find-workload.ts";

export interface ObservedBudget {
  readonly budget: Budget;
  readonly pods: ObservedBudgetPods;
  readonly nowMs: number;
}

export type ObservedBudgetPods =
  /** The selector cannot be parsed. */
  | { readonly kind: "unknown"; readonly error: unknown }
  /** How many Pods there should be cannot be said. */
  | { readonly kind: "uncountable"; readonly selected: readonly Pod[]; readonly error: unknown }
  | { readonly kind: "counted"; readonly selected: readonly Pod[]; readonly expected: ExpectedPods };

export async function observe(ref: ObjectRef, ctx: ReconcileContext<Budget>, budget: Budget): Promise<ObservedBudget> {
  return { budget, pods: await observePods(ref, ctx, budget), nowMs: ctx.client.clock.now() };
}

async function observePods(ref: ObjectRef, ctx: ReconcileContext<Budget>, budget: Budget): Promise<ObservedBudgetPods> {
  let selected: readonly Pod[];
  try {
    const selector = selectorOf(budget);
    selected = ctx
      .cache(pods)
      .list({ namespace: budget.metadata?.namespace })
      .filter(({ metadata }) => selector.matches(metadata?.labels));
  } catch (error) {
    return { kind: "unknown", error };
  }
  try {
    return { kind: "counted", selected, expected: await expectedPods(budget, selected, workloadFinder(ctx, ref.namespace ?? "")) };
  } catch (error) {
    return { kind: "uncountable", selected, error };
  }
}
