/** What runs beside the API server, and with what it is started, wherever it runs. */
import { type ContentProvider, type Metrics, versionInfo } from "@coxswain/apiserver";
import type { ClusterCertificates } from "../access/cluster-certificates.ts";
import { derivedContent } from "../access/followed-value.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import type { NetworkPlan } from "../nodes/namespaces/network-plan.ts";
import type { Options } from "../options/cluster-options.ts";
import { isLoopback, isUnspecified } from "../pki/served-names.ts";
import type { ControllersOfThread, NodesOfThread } from "../threads/thread-protocol.ts";
import type { ChosenComponents } from "./choose-components.ts";

export interface ComponentsSettings extends ComponentDependencies {
  readonly options: Options;
  readonly chosen: ChosenComponents;
  readonly metrics: Metrics;
  readonly certificates: ClusterCertificates;
  /** Of the API server. */
  readonly url: string;
  /** The same, for Pods that cannot reach that one; undefined where there is none. */
  readonly podsUrl: string | undefined;
  /** Of coxswain. */
  readonly version: string;
  readonly platform: string;
  /** Where nodes have network namespaces of their own. */
  readonly network: NetworkPlan | undefined;
  /** Where nodes keep what belongs to their Pods. */
  readonly rootDir: string;
}

/** Whether controllers and scheduler work only while no other server's do. */
export const isElected = ({ options: { leaderElect, etcd } }: ComponentsSettings): boolean => leaderElect ?? etcd !== undefined;

/** Undefined: there are none. */
export function controllersOf(settings: ComponentsSettings): Omit<ControllersOfThread, "rootCa"> | undefined {
  const { controllers: choice } = settings.chosen;
  return choice.length === 0 ? undefined : { choice, isElected: isElected(settings), ...nodeIpamOf(settings) };
}

/** Undefined: there are none. */
export function nodesOf(settings: ComponentsSettings): Omit<NodesOfThread, "clientAuthority"> | undefined {
  const { options, chosen, version, platform, rootDir } = settings;
  if (options.node === undefined || chosen.runtime === undefined) return undefined;
  return {
    options: { ...options.node, clusterDns: chosen.services?.dns?.clusterIps ?? options.node.clusterDns },
    chosen: chosen.runtime,
    rootDir,
    ipFamilies: chosen.serviceIpRanges.families,
    kubeletVersion: versionInfo(version, platform).gitVersion,
    address: nodeAddress(settings),
    masterService: masterService(settings, chosen.runtime.kind),
  };
}

/** What Services have is not for Pods. */
const nodeIpamOf = ({ chosen: { clusterCidrs, serviceIpRanges }, options: { nodeCidrMaskSizes: maskSizes = {} } }: ComponentsSettings) =>
  clusterCidrs.length === 0 ? {} : { nodeIpam: { clusterCidrs, serviceCidrs: serviceIpRanges.cidrs, maskSizes } };

/** Where Pods of real containers reach the server, they and others reach the node, too: its loopback address is each Pod's own. */
function nodeAddress({ options, podsUrl, chosen }: ComponentsSettings): string | undefined {
  if (podsUrl !== undefined) return chosen.podsAddress;
  return isUnspecified(options.address) ? undefined : options.address;
}

export const clientAuthorityOf = ({ authority }: ClusterCertificates): ContentProvider<string> =>
  derivedContent([authority], () => authority.current.cert);

export const rootCaOf = (certificates: ClusterCertificates): ContentProvider<string> =>
  derivedContent([certificates.authority, certificates.pair("apiserver")], () => certificates.servingAuthorities);

/**
 * Processes of this machine reach the API server where it listens. Containers have a network of their own, in which a
 * loopback address is not this machine's: they keep the address of the `kubernetes` Service, as they do where that leads somewhere.
 */
function masterService({ url, podsUrl, chosen }: ComponentsSettings, runtime: "cri" | "process" | "simulated") {
  if (chosen.services?.proxy !== undefined) return undefined;
  const { hostname, port } = new URL(podsUrl ?? url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return runtime === "cri" && isLoopback(host) ? undefined : { host, port: Number(port) };
}
