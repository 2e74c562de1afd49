import type { Metrics } from "@coxswain/apiserver";
import type { Connect } from "../components/start-component.ts";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { NodeCidrMaskSizes } from "../options/node-ipam-options.ts";
import { StartError } from "../process/start-error.ts";
import type { ChosenControllers } from "./start-controllers.ts";

export interface ControllersInBackground extends ChosenControllers {
  /** Where their metrics are registered. */
  readonly metrics: Metrics;
}

export function startControllersInBackground(connect: Connect, { metrics, ...controllers }: ControllersInBackground): BackgroundComponent {
  const { clock, log } = controllers;
  const start = async () => {
    const { startControllers } = await import("./start-controllers.ts");
    return startControllers(connect, controllers);
  };
  return startInBackground(start, { name: "controllers", metrics, clock, log });
}

/** @throws StartError for names that no controller has */
export async function checkControllers(choice: readonly string[]): Promise<void> {
  // What every cluster has is not looked up before the server is up.
  if (choice.every((word) => word === "*")) return;
  const { chooseControllers, UnknownControllerError } = await import("@coxswain/controllers");
  try {
    chooseControllers(choice);
  } catch (error) {
    throw error instanceof UnknownControllerError ? new StartError(error.message, { cause: error }) : error;
  }
}

/** @param nodes how many there are from the beginning. @throws StartError for ranges that cannot be cut so, or into so many */
export async function checkNodeIpam(clusterCidrs: readonly string[], nodes: number, maskSizes: NodeCidrMaskSizes = {}): Promise<void> {
  if (clusterCidrs.length === 0) return;
  const { problemWithRange } = await import("@coxswain/controllers");
  const { 4: size4 = 24, 6: size6 = 64 } = maskSizes;
  for (const range of clusterCidrs) {
    const size = range.includes(":") ? size6 : size4;
    const problem = problemWithRange(range, size);
    if (problem !== undefined) throw new StartError(`--cluster-cidr: ${problem}`);
    if (2 ** (size - Number(range.split("/")[1])) < nodes)
      throw new StartError(`--cluster-cidr ${range} has too few addresses for the Pods of ${nodes} nodes`);
  }
}
