/** The networks of Pods beside the API server, as a component of its process. */
import { hostname } from "node:os";
import { join } from "node:path";
import type { ApiServer, Metrics } from "@coxswain/apiserver";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import type { NodeOptions } from "../options/node-options.ts";
import type { ChosenRuntime } from "./choose-runtime.ts";
import type { NetworkPlan } from "./namespaces/network-plan.ts";
import { nodeNames } from "./node-names.ts";
import type { ChosenPodNetwork } from "./pod-network/chosen-pod-network.ts";

export interface PodNetworkInBackground extends ComponentDependencies {
  readonly options: NodeOptions;
  readonly chosen: ChosenRuntime;
  /** Where nodes have network namespaces of their own; undefined: this machine is the node. */
  readonly plan: NetworkPlan | undefined;
  /** Who gives Pods of this machine addresses. */
  readonly choice: ChosenPodNetwork;
  /** Where nodes keep what belongs to their Pods. Absolute. */
  readonly rootDir: string;
  readonly clusterCidrs: readonly string[];
  /** Whether routes and rules of this machine go with it. */
  readonly removesNetwork: boolean;
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
}

export function startPodNetworkInBackground(
  server: Pick<ApiServer, "handle">,
  { options, chosen, plan, choice, rootDir, clusterCidrs, removesNetwork, metrics, ...dependencies }: PodNetworkInBackground,
): BackgroundComponent {
  const { clock, log } = dependencies;
  const start = async () => {
    const [{ removeMachineNetwork, startPodNetwork }, { machinePlaces }, { namespacedPlaces }, { nodeNameOf }] = await Promise.all([
      import("./pod-network/pod-network-component.ts"),
      import("./pod-network/machine-places.ts"),
      import("./pod-network/namespaced-places.ts"),
      import("@coxswain/kubelet"),
    ]);
    if (plan !== undefined)
      return startPodNetwork(server, { places: async () => namespacedPlaces(plan, rootDir), clusterCidrs }, dependencies);
    const [nodeName] = nodeNames(options, chosen, nodeNameOf(hostname()));
    const places = () => machinePlaces({ nodeName, choice, addressDir: join(rootDir, "addresses"), log });
    return startPodNetwork(server, { places, clusterCidrs, ...(removesNetwork ? { remove: removeMachineNetwork } : {}) }, dependencies);
  };
  return startInBackground(start, { name: "pod-network", metrics, clock, log });
}
