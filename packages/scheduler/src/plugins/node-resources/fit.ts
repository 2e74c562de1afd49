/**
 * Keeps Pods from nodes with too little of what they ask for, and scores nodes by how much is taken.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing/
 */
import { stateKey } from "../../framework/cycle-state.ts";
import { newNodeInfo } from "../../framework/new-node-info.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import type { Node, NodeInfo } from "../../framework/node-info.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import type { Pod } from "../../framework/pod-info.ts";
import type { Resources } from "../../framework/resources.ts";
import { nodeOf, podOf, readOnce } from "../event-objects.ts";
import { type ScoredResources, scoredResources } from "./allocation.ts";
import { readFitArgs } from "./fit-args.ts";
import { insufficiency, surelyFits } from "./insufficiency.ts";
import { scorerOf } from "./scorers.ts";

const amounts = stateKey<Float64Array>("NodeResourcesFit");

export const nodeResourcesFit: PluginFactory = (args) => {
  const { ignores, strategy } = readFitArgs(args);
  const resources: ScoredResources = scoredResources(strategy.resources, { countMissing: true });
  const score = scorerOf(strategy);
  const requestsOf = readOnce((pod: Pod) => newPodInfo(pod).requests);
  const emptied = readOnce((node: Node) => newNodeInfo(node));
  return {
    name: "NodeResourcesFit",
    events: [
      {
        event: { resource: "AssignedPod", actions: ["delete", "updateRequests"] },
        hint: ({ requests }, before, after) => {
          const [was, is] = [podOf(before), podOf(after)];
          // A Pod that goes makes room; one that asks for less does where this one asks for the same.
          return was === undefined || is === undefined || exceeds(requestsOf(was), requestsOf(is), requests);
        },
      },
      { event: { resource: "UnscheduledPod", actions: ["updateRequests"] } },
      {
        event: { resource: "Node", actions: ["add", "updateAllocatable"] },
        hint: ({ requests }, before, after) => {
          const [was, is] = [nodeOf(before), nodeOf(after)];
          return is !== undefined && growsFor(requests, was && emptied(was), emptied(is));
        },
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

/** Whether there is room where there was less before, of anything that is wanted. */
function growsFor(requests: Readonly<Resources>, was: NodeInfo | undefined, is: NodeInfo): boolean {
  if (insufficiency(requests, is, () => false) !== undefined) return false;
  if (was === undefined) return true;
  return is.allocatable.pods > was.allocatable.pods || exceeds(is.allocatable, was.allocatable, requests);
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
