/** Which DaemonSets a change of a Node matters to: few, though Nodes change all the time. */

import type { Node } from "@coxswain/api";
import { type Change, controllerOf, type Indexes, type ObjectRef, pods, type SourceSetting } from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { type DaemonSet, targetNodeOf } from "./daemon-pod.ts";
import { nameOf } from "./observe.ts";
import { placementOf } from "./placement.ts";

const nodeIndex = "target node";

/** Pods, by the Node that they run on or are to run on. */
export const byTargetNode: Indexes<Pod> = {
  [nodeIndex]: (pod) => {
    const node = targetNodeOf(pod);
    return node === undefined ? [] : [node];
  },
};

/** Labels and taints; at the start all DaemonSets are looked at anyway. */
export function changesPlacement(change: Change<Node>): boolean {
  if (change.type !== "updated") return change.type === "deleted" || !change.initial;
  const { object, previous } = change;
  return !deepEqual(object.metadata?.labels, previous.metadata?.labels) || !deepEqual(object.spec?.taints, previous.spec?.taints);
}

/** Those that are to have a Pod there and have none, whose Pod has to go, and that may have had one where none belongs. */
export function daemonSetsOfNode(node: Node, change: Change<Node>, { main, cache }: SourceSetting): readonly ObjectRef[] {
  if (node !== change.object) return [];
  const present = new Set(
    cache(pods)
      .byIndex(nodeIndex, nameOf(node))
      .map((pod) => controllerOf(pod)?.uid),
  );
  const sets: DaemonSet[] = main().list();
  const isConcerned = (daemonSet: DaemonSet): boolean => {
    const hasPod = present.has(daemonSet.metadata?.uid);
    if (change.type === "deleted") return hasPod;
    const { runs, stays } = placementOf(daemonSet)(node);
    return hasPod ? !stays || (daemonSet.status?.numberMisscheduled ?? 0) > 0 : runs;
  };
  return sets.filter(isConcerned).map(({ metadata }) => ({ namespace: metadata?.namespace, name: metadata?.name ?? "" }));
}
