/** The networks of Pods, in the process of the API server. */
import type { ApiServer } from "@coxswain/apiserver";
import { controllerManager } from "@coxswain/client";
import { podNetworkServiceAccount } from "../../access/own-roles.ts";
import { type ComponentDependencies, type InProcessComponent, startInProcess } from "../../components/start-in-process.ts";
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

/** It runs until it is disposed of. */
export function startPodNetwork(
  server: Pick<ApiServer, "handle">,
  { remove, ...options }: PodNetworkComponent,
  dependencies: ComponentDependencies,
): InProcessComponent {
  const { log } = dependencies;
  const agent = "coxswain-pod-network";
  const component = startInProcess(
    server,
    {
      name: "pod-network",
      agent,
      user: systemServiceAccount(podNetworkServiceAccount),
      manager: (client, metrics) => {
        const task = podNetworkTask(options);
        const manager = controllerManager([task], { client, log, metrics, component: agent });
        const healthy = () => ({ ok: task.healthy() && manager.healthy().ok });
        return { ready: task.ready, healthy, run: (signal) => manager.run(signal) };
      },
    },
    dependencies,
  );
  return {
    ...component,
    [Symbol.asyncDispose]: async () => {
      await component[Symbol.asyncDispose]();
      await remove?.();
    },
  };
}

/** Routes and rules of this machine. Pods that run on need what gives them addresses, to end in order. @throws ProgramError */
export async function removeMachineNetwork(): Promise<void> {
  await removeRoutes(ipProgram());
  await writeRules(noMasquerade());
}

/** Where there still is one, with the addresses that lead to it. @throws ProgramError */
export const removeBridge = (): Promise<void> => deleteLink(ipProgram(), podBridge);
