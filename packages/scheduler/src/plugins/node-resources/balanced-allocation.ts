/** Prefers nodes whose resources would be used up more evenly with the Pod than without it. */
import { stateKey } from "../../framework/cycle-state.ts";
import { type PluginFactory, skip } from "../../framework/plugin.ts";
import { maxScore } from "../normalize.ts";
import { scoredResources } from "./allocation.ts";
import { readBalancedAllocationArgs } from "./balanced-allocation-args.ts";

const amounts = stateKey<Float64Array>("NodeResourcesBalancedAllocation");

export const nodeResourcesBalancedAllocation: PluginFactory = (args) => {
  const resources = scoredResources(readBalancedAllocationArgs(args), { countMissing: false });
  return {
    name: "NodeResourcesBalancedAllocation",
    preScore: (state, pod) => {
      const wanted = resources.amountsOf(pod);
      // Pods that ask for nothing change no balance: the same node would win again and again.
      if (wanted.every((amount) => amount === 0)) return skip;
      state.set(amounts, wanted);
      return undefined;
    },
    score: (state, pod, node) => {
      const { requested, allocated, allocatable } = resources.load(node, state.get(amounts) ?? resources.amountsOf(pod));
      return half + Math.trunc((half + balance(requested, allocatable) - balance(allocated, allocatable)) / 2);
    },
  };
};

const half = maxScore / 2;

/** 100 less the standard deviation of the shares in use, in percent. */
function balance(used: Float64Array, allocatable: Float64Array): number {
  let count = 0;
  let sum = 0;
  for (let i = 0; i < used.length; i++) {
    const capacity = allocatable[i] ?? 0;
    if (capacity === 0) continue;
    sum += shareOf(used, i, capacity);
    count++;
  }
  return Math.trunc((1 - (count < 2 ? 0 : deviation(used, allocatable, count, sum / count))) * maxScore);
}

function deviation(used: Float64Array, allocatable: Float64Array, count: number, mean: number): number {
  let squares = 0;
  let difference = 0;
  for (let i = 0; i < used.length; i++) {
    const capacity = allocatable[i] ?? 0;
    if (capacity === 0) continue;
    const share = shareOf(used, i, capacity);
    squares += (share - mean) * (share - mean);
    difference = share - difference;
  }
  // Of two it is half their difference, which rounds otherwise than the general formula does.
  return count === 2 ? Math.abs(difference / 2) : Math.sqrt(squares / count);
}

const shareOf = (used: Float64Array, i: number, capacity: number): number => Math.min((used[i] ?? 0) / capacity, 1);
