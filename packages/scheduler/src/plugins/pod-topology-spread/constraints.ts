/** A Pod's topology spread constraints, read for the scheduler. */
import type { coreV1 } from "@coxswain/api";
import { type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";
import type { PodInfo } from "../../framework/pod-info.ts";

export interface Constraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  /** As long as there are fewer domains, the emptiest counts as empty. */
  readonly minDomains: number;
  /** Whether nodes that the Pod does not choose, or whose taints it does not tolerate, are left out of the count. */
  readonly honorAffinity: boolean;
  readonly honorTaints: boolean;
}

export type Unsatisfiable = "DoNotSchedule" | "ScheduleAnyway";
export type ConstraintsOf = (pod: PodInfo, action: Unsatisfiable) => readonly Constraint[];

export interface SelectorSource {
  /** Chooses the Pods that belong together with this one; undefined: none do. */
  of(pod: PodInfo): LabelSelector | undefined;
}

/** Defaults are for Pods with no constraints of their own. @throws badRequest() for a selector that cannot be read */
export function constraintsOf(defaults: readonly coreV1.TopologySpreadConstraint[], selectors: SelectorSource | undefined): ConstraintsOf {
  // A Pod's own do not change, and are asked for at each attempt and each event.
  const known = new WeakMap<PodInfo, Readonly<Record<Unsatisfiable, readonly Constraint[]>>>();
  return (pod, action) => {
    const own = pod.pod.spec?.topologySpreadConstraints ?? [];
    if (own.length > 0) {
      const all = known.get(pod) ?? readAll(pod, own);
      known.set(pod, all);
      return all[action];
    }
    const chosen = defaults.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
    const selector = chosen.length === 0 ? undefined : selectors?.of(pod);
    return selector === undefined ? [] : chosen.map((one) => read(one, selector));
  };
}

function readAll(pod: PodInfo, own: readonly coreV1.TopologySpreadConstraint[]): Readonly<Record<Unsatisfiable, readonly Constraint[]>> {
  const of = (action: Unsatisfiable) =>
    own.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action).map((one) => read(one, selectorOf(one, pod)));
  return { DoNotSchedule: of("DoNotSchedule"), ScheduleAnyway: of("ScheduleAnyway") };
}

const read = (constraint: coreV1.TopologySpreadConstraint, selector: LabelSelector): Constraint => ({
  maxSkew: constraint.maxSkew,
  topologyKey: constraint.topologyKey,
  selector,
  minDomains: constraint.minDomains ?? 1,
  honorAffinity: constraint.nodeAffinityPolicy !== "Ignore",
  honorTaints: constraint.nodeTaintsPolicy === "Honor",
});

/** With the Pod's own values of `matchLabelKeys`, which the server has put there, or an older one has not. */
function selectorOf({ labelSelector, matchLabelKeys = [] }: coreV1.TopologySpreadConstraint, { labels }: PodInfo): LabelSelector {
  if (labelSelector === undefined || matchLabelKeys.length === 0) return labelSelectorFromObject(labelSelector);
  const own = matchLabelKeys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator: "In", values: [value] }];
  });
  return labelSelectorFromObject({ ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...own] });
}
