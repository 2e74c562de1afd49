/** Which Pods a DaemonSet is to create and to delete, and which of them have ended. */

import type { Node } from "@coxswain/api";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import { allowsSurge, isRollingUpdate } from "./bounds.ts";
import { hashLabel } from "./daemon-pod.ts";
import { isAvailableIn, isBeingDeleted, isScheduled, nameOf, type ObservedDaemons } from "./observe.ts";
import { planRollout } from "./plan-rollout.ts";

export interface DaemonPlan {
  /** Names of Nodes. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  /** Among those to delete. */
  readonly ended: readonly EndedPod[];
  /** Milliseconds until failed Pods are to be planned again. */
  readonly againMs?: number;
}

export interface EndedPod {
  readonly pod: Pod;
  readonly node: string;
}

/** Nothing is replaced before every Node has what it is to have. */
export function plan(observed: ObservedDaemons): DaemonPlan {
  const plans = observed.nodes.map((node) => planNode(observed, node));
  const planned = {
    create: plans.flatMap((one) => one.create),
    delete: [...plans.flatMap((one) => one.delete), ...unscheduledOnMissingNodes(observed)],
    ended: plans.flatMap((one) => one.ended ?? []),
    ...earliest(plans),
  };
  if (planned.create.length + planned.delete.length > 0 || !isRollingUpdate(observed.daemonSet)) return planned;
  return { ...planned, ...planRollout(observed) };
}

interface NodePlan {
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  readonly ended?: readonly EndedPod[];
  readonly againMs?: number;
}

const nothing: NodePlan = { create: [], delete: [] };

function earliest(plans: readonly NodePlan[]): { readonly againMs?: number } {
  const times = plans.flatMap(({ againMs }) => againMs ?? []);
  return times.length === 0 ? {} : { againMs: Math.min(...times) };
}

function planNode(observed: ObservedDaemons, node: Node): NodePlan {
  const { runs, stays } = observed.placement(node);
  const name = nameOf(node);
  const pods = observed.podsByNode.get(name);
  if (pods === undefined) return runs ? { create: [name], delete: [] } : nothing;
  return stays ? keep(observed, name, pods, runs) : { create: [], delete: pods.filter((pod) => !isBeingDeleted(pod)) };
}

/** What has ended goes, and of what runs all but one, or but one of each revision. */
function keep(observed: ObservedDaemons, node: string, pods: readonly Pod[], runs: boolean): NodePlan {
  const running: Pod[] = [];
  const ended: EndedPod[] = [];
  let pauseMs = observed.pauseOn(node);
  let againMs: number | undefined;
  for (const pod of pods.filter((one) => !isBeingDeleted(one))) {
    const phase = pod.status?.phase;
    if (phase === "Failed" && pauseMs !== undefined) againMs = pauseMs;
    else if (phase === "Failed" || phase === "Succeeded") {
      ended.push({ pod, node });
      // The next failure of this Node waits.
      if (phase === "Failed") pauseMs = 1_000;
    } else running.push(pod);
  }
  const surges = allowsSurge(observed.daemonSet);
  const surplus = surges ? surplusWithSurge(observed, running) : running.slice(1);
  return {
    create: surges && runs && running.length === 0 ? [node] : [],
    delete: [...ended.map(({ pod }) => pod), ...surplus],
    ended,
    ...(againMs === undefined ? {} : { againMs }),
  };
}

/** Two may run: an old one as long as it is ready, and the new one that is to replace it once it is available. */
function surplusWithSurge(observed: ObservedDaemons, running: readonly Pod[]): readonly Pod[] {
  if (running.length < 2) return [];
  const isNew = (pod: Pod): boolean => pod.metadata?.labels?.[hashLabel] === observed.hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const others = running.filter((pod) => pod !== newest && pod !== old);
  const isReplaced = newest !== undefined && old !== undefined && (!isPodReady(old) || isAvailableIn(observed, newest));
  return isReplaced ? [...others, old] : others;
}

/** No other component would delete them: they were never on a Node. */
function unscheduledOnMissingNodes({ nodes, podsByNode }: ObservedDaemons): readonly Pod[] {
  const present = new Set(nodes.map(nameOf));
  return [...podsByNode].flatMap(([node, pods]) => (present.has(node) ? [] : pods.filter((pod) => !isScheduled(pod))));
}
