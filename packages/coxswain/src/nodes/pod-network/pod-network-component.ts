/** The networks of Pods, in the process of the API server. */
import type { ApiServer } from "@coxswain/apiserver";
import { podNetworkServiceAccount } from "../../access/own-roles.ts";
import type { InProcessComponent } from "../../components/start-component.ts";
import type { ComponentDependencies } from "../../components/start-in-process.ts";
import { startTasks } from "../../components/start-tasks.ts";
import { systemServiceAccount } from "../../in-process/in-process-callers.ts";
import { deleteLink, ipProgram } from "../namespaces/links.ts";
import { podBridge } from "./cni-config.ts";
import { noMasquerade, writeRules } from "./masquerade.ts";
import { type PodNetworkOptions, podNetworkTask } from "./pod-network-task.ts";
import { removeRoutes } from "./routes.ts";

export interface PodNetworkComponent extends PodNetworkOptions {
  /** What of them goes when the component ends in order. */
  readonly remove?: () => Promise<void>;
}

/** In logs, and as who it asks. */
export const podNetworkAgent = "coxswain-pod-network";

/** It runs until it is disposed of. */
export const startPodNetwork = (
  server: Pick<ApiServer, "handle">,
  { remove, ...options }: PodNetworkComponent,
  dependencies: ComponentDependencies,
): InProcessComponent =>
  startTasks(
    server,
    {
      name: "pod-network",
      agent: podNetworkAgent,
      user: systemServiceAccount(podNetworkServiceAccount),
      tasks: () => [podNetworkTask(options)],
      remove,
    },
    dependencies,
  );

/** Routes and rules of this machine. Pods that run on need what gives them addresses, to end in order. @throws ProgramError */
export async function removeMachineNetwork(): Promise<void> {
  await removeRoutes(ipProgram());
  await writeRules(noMasquerade());
}

/** Where there still is one, with the addresses that lead to it. @throws ProgramError */
export const removeBridge = (): Promise<void> => deleteLink(ipProgram(), podBridge);
