/** What the status of a PodDisruptionBudget becomes, and which Events are recorded. Texts are Kubernetes' own. */
import { type RecordedEvent, StatusError } from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { type BudgetStatus, disruptedPods, failedStatus, nextStatus } from "./budget-status.ts";
import type { Budget } from "./expected-pods.ts";
import type { ObservedBudget } from "./observe.ts";
import { printSelector } from "./print-selector.ts";

export interface BudgetPlan {
  /** About the budget. */
  readonly events: readonly RecordedEvent[];
  /** Undefined when it stays as it is. */
  readonly status: BudgetStatus | undefined;
  /** Pods that were to be evicted and are still here. */
  readonly notDeleted: readonly Pod[];
  readonly recheckAfterMs: number | undefined;
  /** Thrown once the status is written: what the server could not say now it may say later. */
  readonly error: StatusError | undefined;
}

export function plan({ budget, pods, nowMs }: ObservedBudget): BudgetPlan {
  switch (pods.kind) {
    case "unknown":
      return failed(budget, [warning("NoPods", `Failed to get pods: ${messageOf(pods.error)}`)], pods.error, nowMs);
    case "uncountable": {
      const message = `Failed to calculate the number of expected pods: ${messageOf(pods.error)}`;
      return failed(budget, [...noPods(pods.selected), warning("CalculateExpectedPodCountFailed", message)], pods.error, nowMs);
    }
    case "counted": {
      const { selected, expected } = pods;
      const unmanaged = expected.unmanaged.length > 0 ? [warning("UnmanagedPods", unmanagedMessage(budget))] : [];
      const disrupted = disruptedPods(selected, budget.status?.disruptedPods, nowMs);
      return {
        events: [...noPods(selected), ...unmanaged],
        status: nextStatus(budget, expected, { pods: selected, disrupted: disrupted.pods, nowMs }),
        notDeleted: disrupted.notDeleted,
        recheckAfterMs: disrupted.recheckAfterMs,
        error: undefined,
      };
    }
  }
}

const failed = (budget: Budget, events: readonly RecordedEvent[], error: unknown, nowMs: number): BudgetPlan => ({
  events,
  status: failedStatus(budget, messageOf(error), nowMs),
  notDeleted: [],
  recheckAfterMs: undefined,
  error: error instanceof StatusError ? error : undefined,
});

const noPods = (selected: readonly Pod[]): readonly RecordedEvent[] =>
  selected.length > 0 ? [] : [{ type: "Normal", reason: "NoPods", message: "No matching pods found" }];

const warning = (reason: string, message: string): RecordedEvent => ({ type: "Warning", reason, message });

const unmanagedMessage = ({ spec }: Budget): string =>
  [
    `Pods selected by this PodDisruptionBudget (selector: ${printSelector(spec?.selector)}) were found to be unmanaged.`,
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior.",
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
  ].join(" ");
