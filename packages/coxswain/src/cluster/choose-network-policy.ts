/** Whether NetworkPolicies are enforced for Pods that are real containers. */
import type { ChosenRuntime } from "../nodes/choose-runtime.ts";
import { areBridgedPacketsFiltered } from "../nodes/namespaces/pod-network.ts";
import type { Options } from "../options/cluster-options.ts";
import { problemWithNft } from "./choose-services.ts";

/** Where Pods are simulated, there are no packets. */
export interface ChosenNetworkPolicy {
  readonly enforced: boolean;
  /** For people: `enforced by nftables rules`. */
  readonly why: string;
}

/** What is found out about the machine. */
export interface PolicyMachine {
  /** Why no rules can be written. */
  readonly problemWithRules: () => Promise<string | undefined>;
  /** Whether packets between Pods of one node pass rules. */
  readonly filtersBridges: () => Promise<boolean>;
}

/** @param namespace of the network of a node; undefined: this machine is the node */
export const thisPolicyMachine = (namespace: string | undefined): PolicyMachine => ({
  problemWithRules: problemWithNft,
  filtersBridges: () => areBridgedPacketsFiltered(namespace),
});

/** Undefined where nothing of it is needed. */
export async function chooseNetworkPolicy(
  { networkPolicy = true }: Pick<Options, "networkPolicy">,
  runtime: ChosenRuntime | undefined,
  machine: PolicyMachine,
): Promise<ChosenNetworkPolicy | undefined> {
  if (runtime?.kind !== "cri") return undefined;
  if (!networkPolicy) return { enforced: false, why: "left to others" };
  const problem = await machine.problemWithRules();
  if (problem !== undefined) return { enforced: false, why: `not enforced: ${problem}` };
  if (await machine.filtersBridges()) return { enforced: true, why: "enforced by nftables rules" };
  return {
    enforced: true,
    why: "enforced by nftables rules, but not between Pods of one node (is br_netfilter loaded, and net.bridge.bridge-nf-call-iptables 1?)",
  };
}
