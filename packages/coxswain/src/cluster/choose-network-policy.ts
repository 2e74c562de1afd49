/** Whether NetworkPolicies are enforced for Pods that are real containers. */
import type { ChosenRuntime } from "../nodes/choose-runtime.ts";
import type { Options } from "../options/cluster-options.ts";
import { problemWithNft } from "./choose-services.ts";

/** Where Pods are simulated, there are no packets. */
export interface ChosenNetworkPolicy {
  readonly enforced: boolean;
  /** For people: `enforced by nftables rules`. */
  readonly why: string;
}

/** Undefined where nothing of it is needed. @param problemWithRules why none can be written; default: on this machine */
export async function chooseNetworkPolicy(
  { networkPolicy = true }: Pick<Options, "networkPolicy">,
  runtime: ChosenRuntime | undefined,
  problemWithRules: () => Promise<string | undefined> = problemWithNft,
): Promise<ChosenNetworkPolicy | undefined> {
  if (runtime?.kind !== "cri") return undefined;
  if (!networkPolicy) return { enforced: false, why: "left to others" };
  const problem = await problemWithRules();
  return problem === undefined
    ? { enforced: true, why: "enforced by nftables rules" }
    : { enforced: false, why: `not enforced: ${problem}` };
}
