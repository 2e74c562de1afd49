/** The network of the Pods of this machine. */
import { mkdirSync } from "node:fs";
import type { Log } from "@coxswain/apiserver";
import type { Clock } from "@coxswain/machinery";
import { choosePodNetwork } from "./choose-pod-network.ts";
import { writeRules } from "./masquerade.ts";
import type { PodNetworkPlace } from "./pod-network-task.ts";
import { ipProgram } from "./routes.ts";

export interface MachineNetwork {
  readonly nodeName: string;
  /** Of the container runtime. */
  readonly socket: string;
  /** Undefined: where the runtime says that it looks for configurations. */
  readonly confDir?: string | undefined;
  /** Where addresses that are given out are noted. */
  readonly addressDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** None where somebody else gives Pods their addresses, which is said. @throws RuntimeError for a runtime that does not answer */
export async function machinePlaces(
  { nodeName, addressDir, log, ...runtime }: MachineNetwork,
  signal: AbortSignal,
): Promise<readonly PodNetworkPlace[]> {
  const choice = await choosePodNetwork(runtime, signal);
  if (choice.kind === "other") {
    log[choice.isProblem ? "warn" : "info"]({}, choice.why);
    return [];
  }
  mkdirSync(choice.confDir, { recursive: true, mode: 0o755 });
  return [{ nodeName, ip: ipProgram(), cni: { confDir: choice.confDir, addressDir }, writeRules }];
}
