/** What is wrong with the arguments of the plugins that come with the scheduler. */
import type { field } from "@coxswain/machinery";
import { preemptionArgs } from "../plugins/default-preemption/default-preemption.ts";
import { readAffinityArgs } from "../plugins/inter-pod-affinity/affinity-args.ts";
import { readNodeAffinityArgs } from "../plugins/node-affinity/preferences.ts";
import { readBalancedAllocationArgs } from "../plugins/node-resources/balanced-allocation-args.ts";
import { type Args, InvalidArgs } from "../plugins/plugin-args.ts";
import { readSpreadArgs } from "../plugins/pod-topology-spread/spread-args.ts";
import { readVolumeBindingArgs } from "../plugins/volume-binding/volume-binding-args.ts";

export type ArgsReader = (args: Args) => readonly field.FieldError[];

const errorsOf =
  (read: (args: Args) => unknown): ArgsReader =>
  (args) => {
    try {
      read(args);
      return [];
    } catch (error) {
      if (error instanceof InvalidArgs) return error.errors;
      throw error;
    }
  };

/** NodeResourcesFit is not among them: kube-scheduler looks at its arguments later, when the plugin is made. */
export const argsReaders: ReadonlyMap<string, ArgsReader> = new Map(
  Object.entries({
    DefaultPreemption: preemptionArgs,
    InterPodAffinity: readAffinityArgs,
    NodeAffinity: readNodeAffinityArgs,
    NodeResourcesBalancedAllocation: readBalancedAllocationArgs,
    PodTopologySpread: readSpreadArgs,
    VolumeBinding: readVolumeBindingArgs,
  }).map(([name, read]) => [name, errorsOf(read)]),
);

/** Fields by plugin; all may have `apiVersion` and `kind` too. */
export const argsFields: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    DefaultPreemption: ["minCandidateNodesPercentage", "minCandidateNodesAbsolute"],
    DynamicResources: ["filterTimeout", "bindingTimeout"],
    InterPodAffinity: ["hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"],
    NodeAffinity: ["addedAffinity"],
    NodeResourcesBalancedAllocation: ["resources"],
    NodeResourcesFit: ["ignoredResources", "ignoredResourceGroups", "scoringStrategy"],
    PodTopologySpread: ["defaultConstraints", "defaultingType"],
    VolumeBinding: ["bindTimeoutSeconds", "shape"],
  }),
);
