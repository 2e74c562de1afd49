/** The least that has to go from one node so that a Pod fits there. */

import type { CycleState } from "../../framework/cycle-state.ts";
import type { Victims } from "../../framework/extender.ts";
import type { Handle } from "../../framework/handle.ts";
import { copyOfNode } from "../../framework/new-node-info.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { errorStatus, type Status, unschedulableAndUnresolvable } from "../../framework/status.ts";
import { byImportance } from "./importance.ts";
import { type Guard, splitByBudgets } from "./pod-disruption-budgets.ts";

type SimulationHandle = Pick<Handle, "runFilters" | "addPod" | "removePod">;

const noVictims = unschedulableAndUnresolvable("No preemption victims found for incoming pod");

/**
 * All that is less important is taken away in thought. If the Pod fits then, they come back one after the other, those
 * first that a budget protects, the more important ones earlier, as long as the Pod still fits.
 */
export function selectVictimsOnNode(
  preemptor: PodInfo,
  node: NodeInfo,
  {
    state: before,
    guards,
    handle,
    nowMs,
  }: {
    readonly state: CycleState;
    readonly guards: readonly Guard[];
    readonly handle: SimulationHandle;
    readonly nowMs: number;
  },
): Victims | Status {
  const lower = node.pods.filter(({ priority }) => priority < preemptor.priority);
  if (lower.length === 0) return noVictims;
  const state = before.clone();
  const draft = copyOfNode(node);
  const leave = (pod: PodInfo): Status | undefined => {
    draft.remove(pod);
    return handle.removePod(state, preemptor, pod, draft);
  };
  const come = (pod: PodInfo): Status | undefined => {
    draft.add(pod);
    return handle.addPod(state, preemptor, pod, draft);
  };
  for (const pod of lower) {
    const problem = leave(pod);
    if (problem !== undefined) return problem;
  }
  const misfit = handle.runFilters(state, preemptor, draft);
  if (misfit !== undefined) return misfit;

  const order = byImportance(nowMs);
  lower.sort((a, b) => order(a.pod, b.pod));
  const { violating, free } = splitByBudgets(lower, guards);
  const victims: PodInfo[] = [];
  for (const pod of [...violating, ...free]) {
    let problem = come(pod);
    if (problem === undefined && handle.runFilters(state, preemptor, draft) !== undefined) {
      victims.push(pod);
      problem = leave(pod);
    }
    if (problem !== undefined) return problem;
  }
  if (victims.length === 0) return errorStatus(`expected at least one victim pod on node ${JSON.stringify(node.name)}`);
  const protectedOnes = new Set(violating);
  return {
    pods: victims.map(({ pod }) => pod).sort(order),
    violations: victims.filter((pod) => protectedOnes.has(pod)).length,
  };
}
