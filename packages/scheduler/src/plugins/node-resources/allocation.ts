/** How much of some resources a node would have given away with one Pod more. */
import { isScalarResource } from "@coxswain/api";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import type { Resources } from "../../framework/resources.ts";

export interface ScoredResource {
  readonly name: string;
  readonly weight: number;
}

/** By resource, in the order of the arguments. Valid until the next is asked for. */
export interface Load {
  /** With the Pod. */
  readonly requested: Float64Array;
  /** Without it. */
  readonly allocated: Float64Array;
  /** 0: does not count. */
  readonly allocatable: Float64Array;
}

export interface ScoredResources {
  /** What the Pod asks for. */
  amountsOf(pod: PodInfo): Float64Array;
  load(node: NodeInfo, amounts: Float64Array): Load;
}

/** `countMissing`: containers that ask for no CPU or memory are taken to want a little. */
export function scoredResources(
  resources: readonly ScoredResource[],
  { countMissing }: { readonly countMissing: boolean },
): ScoredResources {
  const names = resources.map(({ name }) => name);
  const scalar = names.map(isScalarResource);
  const load = {
    requested: new Float64Array(names.length),
    allocated: new Float64Array(names.length),
    allocatable: new Float64Array(names.length),
  };
  return {
    amountsOf: (pod) => Float64Array.from(names, (name) => amountOf(name, countMissing ? pod.nonZeroRequests : pod.requests)),
    load: (node, amounts) => {
      const given = countMissing ? node.nonZeroRequested : node.requested;
      for (let i = 0; i < names.length; i++) {
        const name = names[i] ?? "";
        const amount = amounts[i] ?? 0;
        // What only some Pods ask for does not count for those that do not.
        const allocatable = amount === 0 && scalar[i] === true ? 0 : amountOf(name, node.allocatable);
        const allocated = allocatable === 0 ? 0 : amountOf(name, given);
        load.allocatable[i] = allocatable;
        load.allocated[i] = allocated;
        load.requested[i] = allocatable === 0 ? 0 : allocated + amount;
      }
      return load;
    },
  };
}

function amountOf(name: string, from: Readonly<Resources>): number {
  if (name === "cpu") return from.milliCpu;
  if (name === "memory") return from.memory;
  return name === "ephemeral-storage" ? from.ephemeralStorage : (from.scalars?.get(name) ?? 0);
}
