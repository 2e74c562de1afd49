/**
 * Which Pods to replace by those of a new template, once every Node has what it is to have.
 * @see https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/
 */
import type { Pod } from "../shared/pods/pod-state.ts";
import { boundsOf } from "./bounds.ts";
import { isAvailableIn, isBeingDeleted, isUpdatedIn, nameOf, type ObservedDaemons } from "./observe.ts";

export interface RolloutPlan {
  /** Names of Nodes. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

export function planRollout(observed: ObservedDaemons): RolloutPlan {
  const wanted = observed.nodes.filter((node) => observed.placement(node).runs).map(nameOf);
  const { surge, unavailable } = boundsOf(observed.daemonSet, wanted.length);
  const nodes = podsOfNodes(observed, wanted);
  return surge === 0 ? { create: [], delete: replaceable(observed, nodes, unavailable) } : planSurge(observed, nodes, wanted, surge);
}

/** What runs on a Node, at most one of each; undefined where there is more, which is cleared up first. */
interface NodePods {
  readonly node: string;
  readonly pods: { readonly updated: Pod | undefined; readonly old: Pod | undefined } | undefined;
}

function podsOfNodes(observed: ObservedDaemons, wanted: readonly string[]): readonly NodePods[] {
  const names = new Set([...wanted, ...observed.podsByNode.keys()]);
  return [...names].sort().map((node) => {
    const running = (observed.podsByNode.get(node) ?? []).filter((pod) => !isBeingDeleted(pod));
    const updated = running.filter((pod) => isUpdatedIn(observed, pod));
    const old = running.filter((pod) => !isUpdatedIn(observed, pod));
    return { node, pods: updated.length > 1 || old.length > 1 ? undefined : { updated: updated[0], old: old[0] } };
  });
}

/** Old Pods that are not available go at once; of the others as many as may be missing. */
function replaceable(observed: ObservedDaemons, nodes: readonly NodePods[], max: number): readonly Pod[] {
  let missing = 0;
  const unavailable: Pod[] = [];
  const candidates: Pod[] = [];
  for (const { pods } of nodes) {
    const { updated, old } = pods ?? {};
    if ((updated === undefined) === (old === undefined)) missing++;
    else if (updated !== undefined) missing += isAvailableIn(observed, updated) ? 0 : 1;
    else if (old !== undefined && isAvailableIn(observed, old)) candidates.push(old);
    else if (old !== undefined) {
      unavailable.push(old);
      missing++;
    }
  }
  return [...unavailable, ...candidates.slice(0, Math.max(0, max - missing))];
}

/** New Pods come beside old ones, which go once the new ones are available. */
function planSurge(observed: ObservedDaemons, nodes: readonly NodePods[], wanted: readonly string[], max: number): RolloutPlan {
  const belongs = new Set(wanted);
  const isAvailable = (pod: Pod): boolean => isAvailableIn(observed, pod);
  let surging = 0;
  let available = 0;
  const gone: Pod[] = [];
  const misplaced: Pod[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  for (const { node, pods } of nodes) {
    if (pods === undefined) {
      surging++;
      continue;
    }
    const { updated, old } = pods;
    const serving = old ?? updated;
    if (serving !== undefined && isAvailable(serving)) available++;
    if (old === undefined) continue;
    if (updated === undefined) {
      if (belongs.has(node)) (isAvailable(old) ? candidates : urgent).push(node);
      else (isAvailable(old) ? misplaced : gone).push(old);
    } else if (isAvailable(updated)) gone.push(old);
    else surging++;
  }
  // Where Nodes are left for others, nothing goes before its successor is available.
  const spare = misplaced.slice(0, Math.max(0, available - wanted.length));
  return { create: [...urgent, ...candidates.slice(0, Math.max(0, max - surging))], delete: [...gone, ...spare] };
}
