/** Which victims a PodDisruptionBudget would protect. */
import type { policyV1 } from "@coxswain/api";
import { isBadRequest, type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";
import type { PodInfo } from "../../framework/pod-info.ts";

export type Budget = policyV1.PodDisruptionBudget;

export interface Guarded {
  readonly violating: readonly PodInfo[];
  readonly free: readonly PodInfo[];
}

/** A budget, its selector read once for all Pods. */
export interface Guard {
  readonly allowed: number;
  protects(pod: PodInfo): boolean;
}

/** In their order: each Pod takes one off what its budgets still allow, and those that find nothing left violate them. */
export function splitByBudgets(pods: readonly PodInfo[], guards: readonly Guard[]): Guarded {
  if (guards.length === 0) return { violating: [], free: pods };
  const left = guards.map(({ allowed }) => allowed);
  const violating: PodInfo[] = [];
  const free: PodInfo[] = [];
  for (const pod of pods) {
    let isViolating = false;
    for (const [i, guard] of guards.entries()) {
      if (!guard.protects(pod)) continue;
      left[i] = (left[i] ?? 0) - 1;
      if ((left[i] ?? 0) < 0) isViolating = true;
    }
    (isViolating ? violating : free).push(pod);
  }
  return { violating, free };
}

export const guardsOf = (budgets: readonly Budget[]): readonly Guard[] => budgets.flatMap(guardOf);

/** An empty selector chooses nothing here, unlike elsewhere; what cannot be read neither. */
function guardOf({ metadata, spec, status }: Budget): Guard | [] {
  const selector = read(spec?.selector);
  if (selector === undefined || selector.empty) return [];
  return {
    allowed: status?.disruptionsAllowed ?? 0,
    // Those that are on their way out already are counted in what is allowed.
    protects: ({ namespace, name, labels }) =>
      namespace === metadata?.namespace &&
      Object.keys(labels).length > 0 &&
      selector.matches(labels) &&
      status?.disruptedPods?.[name] === undefined,
  };
}

function read(selector: NonNullable<Budget["spec"]>["selector"]): LabelSelector | undefined {
  try {
    return labelSelectorFromObject(selector ?? undefined);
  } catch (error) {
    if (isBadRequest(error)) return undefined;
    throw error;
  }
}
