/** The network of the Pods of this machine. */
import { mkdirSync } from "node:fs";
import type { Log } from "@coxswain/apiserver";
import { ipProgram } from "../namespaces/links.ts";
import type { ChosenPodNetwork } from "./chosen-pod-network.ts";
import { writeRules } from "./masquerade.ts";
import type { PodNetworkPlace } from "./pod-network-task.ts";

export interface MachineNetwork {
  readonly nodeName: string;
  readonly choice: ChosenPodNetwork;
  /** Where addresses that are given out are noted. */
  readonly addressDir: string;
  readonly log: Log;
}

/** None where somebody else gives Pods their addresses, which is said. @throws RuntimeError for a runtime that does not answer */
export async function machinePlaces({ nodeName, choice: choose, addressDir, log }: MachineNetwork): Promise<readonly PodNetworkPlace[]> {
  const choice = await choose();
  if (choice.kind === "other") {
    log[choice.isProblem ? "warn" : "info"]({}, choice.why);
    return [];
  }
  mkdirSync(choice.confDir, { recursive: true, mode: 0o755 });
  return [{ nodeName, ip: ipProgram(), cni: { confDir: choice.confDir, addressDir }, writeRules }];
}
