import type { Log } from "@coxswain/apiserver";
import { areBridgedPacketsFiltered } from "./namespaces/pod-network.ts";
import type { ChosenPodNetwork } from "./pod-network/chosen-pod-network.ts";

/** Says where NetworkPolicies do not count. @throws RuntimeError for a runtime that does not answer */
export async function warnOfBridge(choice: ChosenPodNetwork, log: Log): Promise<void> {
  const { routes } = await choice();
  if (routes || (await areBridgedPacketsFiltered())) return;
  log.warn(
    {},
    "NetworkPolicies do not count between Pods of one bridge: packets pass the rules by (is br_netfilter loaded, and net.bridge.bridge-nf-call-iptables 1?)",
  );
}
