/** What the nodes of this process and those who enforce NetworkPolicies for them share: Pods that are about to start. */

import type { IsolatePod } from "@coxswain/kubelet";
import type { Clock } from "@coxswain/machinery";
import type { StartingPods } from "@coxswain/network-policy";
import { isolatePod } from "./isolate-pod.ts";

export interface PolicyGate {
  startingOn(node: string): Promise<StartingPods>;
  /** For the kubelet of a node in this process. */
  isolateFor(node: string): IsolatePod;
}

export function policyGate(clock: Clock): PolicyGate {
  const byNode = new Map<string, StartingPods>();
  const startingOn = async (node: string): Promise<StartingPods> => {
    // Loaded once the server answers.
    const { StartingPods } = await import("@coxswain/network-policy");
    const starting = byNode.get(node) ?? new StartingPods();
    byNode.set(node, starting);
    return starting;
  };
  return {
    startingOn,
    isolateFor: (node) => isolatePod(async (pod, options) => (await startingOn(node)).isolated(pod, options), clock),
  };
}
