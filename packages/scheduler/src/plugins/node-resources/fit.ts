/**
 * Keeps Pods from nodes with too little of what they ask for, and scores nodes by how much is taken.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing/
 */
import { stateKey } from "../../framework/cycle-state.ts";
import { newNodeInfo } from "../../framework/new-node-info.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import type { Node } from "../../framework/node-info.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import type { Pod, PodInfo } from "../../framework/pod-info.ts";
import type { Resources } from "../../framework/resources.ts";
import { nodeOf, podOf } from "../event-objects.ts";
import { type ScoredResources, scoredResources } from "./allocation.ts";
import { readFitArgs } from "./fit-args.ts";
import { insufficiency, surelyFits } from "./insufficiency.ts";
import { scorerOf } from "./scorers.ts";

const amounts = stateKey<Float64Array>("NodeResourcesFit");

export const nodeResourcesFit: PluginFactory = (args) => {
  const { ignores, strategy } = readFitArgs(args);
  const resources: ScoredResources = scoredResources(strategy.resources, { countMissing: true });
  const score = scorerOf(strategy);
  return {
    name: "NodeResourcesFit",
    events: [
      {
        event: { resource: "AssignedPod", actions: ["delete", "updateRequests"] },
        hint: (pod, before, after) => freesFor(pod, podOf(before), podOf(after)),
      },
      { event: { resource: "UnscheduledPod", actions: ["updateRequests"] } },
      {
        event: { resource: "Node", actions: ["add", "updateAllocatable"] },
        hint: (pod, before, after) => growsFor(pod, nodeOf(before), nodeOf(after)),
      },
    ],
    filter: (_, { requests }, node) => (surelyFits(requests, node) ? undefined : insufficiency(requests, node, ignores)),
    preScore: (state, pod) => {
      state.set(amounts, resources.amountsOf(pod));
      return undefined;
    },
    score: (state, pod, node) => {
      const load = resources.load(node, state.get(amounts) ?? resources.amountsOf(pod));
      return score(load.requested, load.allocatable);
    },
  };
};

/** A Pod that goes makes room; one that asks for less does where this one asks for the same. */
function freesFor({ requests }: PodInfo, before: Pod | undefined, after: Pod | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return exceeds(newPodInfo(before).requests, newPodInfo(after).requests, requests);
}

function growsFor({ requests }: PodInfo, before: Node | undefined, after: Node | undefined): boolean {
  if (after === undefined) return false;
  const now = newNodeInfo(after);
  if (insufficiency(requests, now, () => false) !== undefined) return false;
  if (before === undefined) return true;
  const { allocatable } = newNodeInfo(before);
  return now.allocatable.pods > allocatable.pods || exceeds(now.allocatable, allocatable, requests);
}

/** Whether there is more of anything that is wanted. */
function exceeds(more: Readonly<Resources>, less: Readonly<Resources>, wanted: Readonly<Resources>): boolean {
  if (wanted.milliCpu > 0 && more.milliCpu > less.milliCpu) return true;
  if (wanted.memory > 0 && more.memory > less.memory) return true;
  if (wanted.ephemeralStorage > 0 && more.ephemeralStorage > less.ephemeralStorage) return true;
  for (const [name, amount] of wanted.scalars ?? [])
    if (amount > 0 && (more.scalars?.get(name) ?? 0) > (less.scalars?.get(name) ?? 0)) return true;
  return false;
}
