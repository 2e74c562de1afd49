/** What runs beside the API server, found out before anything is started: what makes no sense is said at once. */
import type { ServiceIpRanges } from "@coxswain/apiserver";
import type { SchedulerConfig } from "@coxswain/scheduler";
import { checkControllers, checkNodeIpam } from "../controllers/start-in-background.ts";
import { areNamespaced, type ChosenRuntime, chooseRuntime } from "../nodes/choose-runtime.ts";
import type { Options } from "../options/cluster-options.ts";
import { type ChosenNetworkPolicy, chooseNetworkPolicy } from "./choose-network-policy.ts";
import { type ChosenServices, chooseServices } from "./choose-services.ts";
import { addressForPods, dnsAddresses, type KnownAddresses } from "./server-addresses.ts";

export interface ChosenComponents {
  readonly controllers: readonly string[];
  /** Undefined: there is none; without `config`, Kubernetes' default. */
  readonly scheduler: { readonly config: SchedulerConfig | undefined } | undefined;
  /** Undefined: no node. */
  readonly runtime: ChosenRuntime | undefined;
  /** Where the server also listens, so that Pods reach it; undefined: nowhere. */
  readonly podsAddress: string | undefined;
  /** Where Pods get addresses from this process: on the node that this machine is, or on each of several; undefined: nowhere. */
  readonly podNetwork: "machine" | "nodes" | undefined;
  /** Of which each Node gets a range for its Pods; none: Nodes get none. */
  readonly clusterCidrs: readonly string[];
  /** From which Services get their addresses. */
  readonly serviceIpRanges: ServiceIpRanges;
  /** Undefined: Pods are no real containers. */
  readonly services: ChosenServices | undefined;
  /** Undefined: Pods are no real containers. */
  readonly networkPolicy: ChosenNetworkPolicy | undefined;
}

/** Where Pods are real containers and nobody has chosen another one. */
export const defaultClusterCidrs = ["10.244.0.0/16"];

/** Where they are to run. */
export interface ComponentSurroundings extends KnownAddresses {
  readonly serviceIpRanges: ServiceIpRanges;
}

/** @throws StartError */
export async function chooseComponents(options: Options, surroundings: ComponentSurroundings): Promise<ChosenComponents> {
  const { host, serviceIpRanges } = surroundings;
  const { controllers, scheduler, schedulerConfig, node, podNetwork } = options;
  await checkControllers(controllers);
  const runtime = node === undefined ? undefined : await chooseRuntime(node);
  const clusterCidrs = options.clusterCidrs ?? (runtime?.kind === "cri" ? defaultClusterCidrs : []);
  await checkNodeIpam(clusterCidrs, node?.nodes ?? 0, options.nodeCidrMaskSizes);
  const podsAddress = addressForPods(options, runtime, host);
  return {
    controllers,
    scheduler: scheduler ? { config: await configOf(schedulerConfig) } : undefined,
    runtime,
    podsAddress,
    clusterCidrs,
    podNetwork:
      runtime?.kind !== "cri" || podNetwork === false ? undefined : node !== undefined && areNamespaced(node) ? "nodes" : "machine",
    serviceIpRanges,
    services: await chooseServices(options, runtime, {
      dnsAddresses: dnsAddresses(options, podsAddress, surroundings),
      ranges: serviceIpRanges,
    }),
    networkPolicy: await chooseNetworkPolicy(options, runtime),
  };
}

async function configOf(file: string | undefined): Promise<SchedulerConfig | undefined> {
  if (file === undefined) return undefined;
  const { loadSchedulerConfig } = await import("../scheduler/load-config.ts");
  return await loadSchedulerConfig(file);
}
