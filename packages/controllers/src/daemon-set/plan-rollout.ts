/**
 * Which Pods to replace by those of a new template, once every Node has what it is to have.
 * @see https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/
 */
import type { Pod } from "../shared/pods/pod-state.ts";
import { boundsOf } from "./bounds.ts";
import { isAvailableIn, isGoing, isUpdatedIn, nameOf, type ObservedDaemons } from "./observe.ts";

export interface RolloutPlan {
  /** Names of Nodes. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

export function planRollout(observed: ObservedDaemons): RolloutPlan {
  const wanted = observed.nodes.filter((node) => observed.placement(node).runs).map(nameOf);
  const { surge, unavailable } = boundsOf(observed.daemonSet, wanted.length);
  const places = placesOf(observed, wanted);
  return surge === 0 ? { create: [], delete: replaceable(observed, places, unavailable) } : planSurge(observed, places, wanted, surge);
}

/** What runs on a Node, at most one of each; undefined where there is more, which is cleared up first. */
interface Place {
  readonly node: string;
  readonly pods: { readonly updated: Pod | undefined; readonly old: Pod | undefined } | undefined;
}

function placesOf(observed: ObservedDaemons, wanted: readonly string[]): readonly Place[] {
  const nodes = new Set([...wanted, ...observed.podsByNode.keys()]);
  return [...nodes].sort().map((node) => {
    const running = (observed.podsByNode.get(node) ?? []).filter((pod) => !isGoing(pod));
    const updated = running.filter((pod) => isUpdatedIn(observed, pod));
    const old = running.filter((pod) => !isUpdatedIn(observed, pod));
    return { node, pods: updated.length > 1 || old.length > 1 ? undefined : { updated: updated[0], old: old[0] } };
  });
}

/** Old Pods that are not available go at once; of the others as many as may be missing. */
function replaceable(observed: ObservedDaemons, places: readonly Place[], most: number): readonly Pod[] {
  let missing = 0;
  const sick: Pod[] = [];
  const candidates: Pod[] = [];
  for (const { pods } of places) {
    const { updated, old } = pods ?? {};
    if ((updated === undefined) === (old === undefined)) missing++;
    else if (updated !== undefined) missing += isAvailableIn(observed, updated) ? 0 : 1;
    else if (old !== undefined && isAvailableIn(observed, old)) candidates.push(old);
    else if (old !== undefined) {
      sick.push(old);
      missing++;
    }
  }
  return [...sick, ...candidates.slice(0, Math.max(0, most - missing))];
}

/** New Pods come beside old ones, which go once the new ones are available. */
function planSurge(observed: ObservedDaemons, places: readonly Place[], wanted: readonly string[], most: number): RolloutPlan {
  const belongs = new Set(wanted);
  const isAvailable = (pod: Pod): boolean => isAvailableIn(observed, pod);
  let surging = 0;
  let available = 0;
  const gone: Pod[] = [];
  const misplaced: Pod[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  for (const { node, pods } of places) {
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
  return { create: [...urgent, ...candidates.slice(0, Math.max(0, most - surging))], delete: [...gone, ...spare] };
}
