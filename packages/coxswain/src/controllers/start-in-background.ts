import type { ApiServer, Metrics } from "@coxswain/apiserver";
import type { ControllerSettings } from "@coxswain/controllers";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import type { NodeCidrMaskSizes } from "../options/node-ipam-options.ts";
import { StartError } from "../process/start-error.ts";

export interface ChosenControllers extends ComponentDependencies {
  /** As `--controllers` has it, and known to make sense. */
  readonly choice: readonly string[];
  readonly settings: ControllerSettings;
  /** Whether they work only while no other server's do. */
  readonly isElected: boolean;
  /** Where their metrics are registered. */
  readonly metrics: Metrics;
}

export function startControllersInBackground(
  server: Pick<ApiServer, "handle">,
  { choice, settings, isElected, ...options }: ChosenControllers,
): BackgroundComponent {
  const start = async () => {
    const [{ chooseControllers, managerName }, { startInProcess }, { controllersComponent }, { electionFor }] = await Promise.all([
      import("@coxswain/controllers"),
      import("../components/start-in-process.ts"),
      import("./in-process.ts"),
      import("../components/elected.ts"),
    ]);
    const { random, log } = options;
    const election = () => electionFor(managerName, { isElected, random, log });
    const component = controllersComponent({ chosen: chooseControllers(choice), settings, log, election });
    return startInProcess(server, component, options);
  };
  return startInBackground(start, { name: "controllers", ...options });
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
