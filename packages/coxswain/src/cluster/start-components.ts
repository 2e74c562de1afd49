/** Everything that runs beside the API server in its process: each has a check in `/healthz`. */
import { resolve } from "node:path";
import { type ApiServer, type ContentProvider, type HealthCheck, type MayGet, type Metrics, versionInfo } from "@coxswain/apiserver";
import type { ClusterCertificates } from "../access/cluster-certificates.ts";
import { derivedContent } from "../access/followed-value.ts";
import { startDnsInBackground } from "../cluster-dns/start-in-background.ts";
import type { BackgroundComponent } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import { startControllersInBackground } from "../controllers/start-in-background.ts";
import { type PolicyGate, policyGate } from "../nodes/isolation/policy-gate.ts";
import type { NamespacedNodes } from "../nodes/namespaces/namespaced-nodes.ts";
import type { NetworkPlan } from "../nodes/namespaces/network-plan.ts";
import { inNamespace } from "../nodes/namespaces/run-program.ts";
import { followedCredentials } from "../nodes/nodes-settings.ts";
import { type ChosenPodNetwork, chosenPodNetwork } from "../nodes/pod-network/chosen-pod-network.ts";
import { startNodesInBackground } from "../nodes/start-in-background.ts";
import { startNetworkPolicyInBackground } from "../nodes/start-network-policy-in-background.ts";
import { startPodNetworkInBackground } from "../nodes/start-pod-network-in-background.ts";
import { startProxyInBackground } from "../nodes/start-proxy-in-background.ts";
import type { Options } from "../options/cluster-options.ts";
import { isLoopback, isUnspecified } from "../pki/served-names.ts";
import { type BackgroundScheduler, startSchedulerInBackground } from "../scheduler/start-in-background.ts";
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

export interface StartedComponents extends AsyncDisposable {
  readonly controllers: BackgroundComponent | undefined;
  readonly scheduler: BackgroundScheduler | undefined;
  readonly nodes: BackgroundComponent | undefined;
  readonly proxy: BackgroundComponent | undefined;
  readonly dns: BackgroundComponent | undefined;
  readonly podNetwork: BackgroundComponent | undefined;
  readonly networkPolicy: BackgroundComponent | undefined;
}

export function startComponents(server: Pick<ApiServer, "handle">, settings: ComponentsSettings): StartedComponents {
  const { chosen, certificates, callers, clock, random, log, metrics } = settings;
  const beside = { callers, clock, random, log, metrics };
  const isElected = settings.options.leaderElect ?? settings.options.etcd !== undefined;
  const all: BackgroundComponent[] = [];
  const kept = <T extends BackgroundComponent>(started: T): T => {
    all.push(started);
    return started;
  };
  const controllers =
    chosen.controllers.length === 0
      ? undefined
      : kept(
          startControllersInBackground(server, {
            ...{ ...beside, isElected },
            choice: chosen.controllers,
            settings: { rootCa: rootCaOf(certificates), ...nodeIpamOf(settings) },
          }),
        );
  const scheduler =
    chosen.scheduler === undefined
      ? undefined
      : kept(startSchedulerInBackground(server, { ...beside, isElected, config: chosen.scheduler.config }));
  const maybe = <T extends BackgroundComponent>(started: T | undefined): T | undefined =>
    started === undefined ? undefined : kept(started);
  const network = chosenPodNetwork({
    isWanted: chosen.podNetwork !== undefined,
    socket: settings.options.node?.runtimeEndpoint ?? "",
    clock,
  });
  const podNetwork = maybe(startPodNetwork(server, settings, network));
  const proxy = maybe(startProxy(server, settings, network));
  const gate = policyGate(clock);
  const networkPolicy = maybe(startNetworkPolicy(server, settings, { choice: network, gate }));
  const dns = maybe(startDns(server, settings));
  const nodes = maybe(startNodes(server, settings, gate));
  return {
    controllers,
    scheduler,
    nodes,
    proxy,
    dns,
    podNetwork,
    networkPolicy,
    // Nodes first: the others then see them go.
    [Symbol.asyncDispose]: async () => {
      for (const one of all.toReversed()) await one[Symbol.asyncDispose]();
    },
  };
}

function startNodes(server: Pick<ApiServer, "handle">, settings: ComponentsSettings, gate: PolicyGate): BackgroundComponent | undefined {
  const { options, chosen, certificates, version, platform, rootDir, network, callers, clock, random, log, metrics } = settings;
  if (options.node === undefined || chosen.runtime === undefined) return undefined;
  return startNodesInBackground(server, {
    callers,
    clock,
    random,
    log,
    metrics,
    options: { ...options.node, clusterDns: chosen.services?.dns?.clusterIps ?? options.node.clusterDns },
    chosen: chosen.runtime,
    rootDir,
    ipFamilies: chosen.serviceIpRanges.families,
    kubeletVersion: versionInfo(version, platform).gitVersion,
    address: nodeAddress(settings),
    credentials: (node, names) => followedCredentials(certificates.kubeletServing(node, names)),
    clientAuthority: clientAuthorityOf(certificates),
    masterService: masterService(settings, chosen.runtime.kind),
    isolateFor: chosen.networkPolicy?.enforced === true ? (node) => gate.isolateFor(node) : undefined,
    namespaced: network && namespacedNodes(server, network, settings),
  });
}

/** What Services have is not for Pods. */
const nodeIpamOf = ({ chosen: { clusterCidrs, serviceIpRanges }, options: { nodeCidrMaskSizes: maskSizes = {} } }: ComponentsSettings) =>
  clusterCidrs.length === 0 ? {} : { nodeIpam: { clusterCidrs, serviceCidrs: serviceIpRanges.cidrs, maskSizes } };

function startPodNetwork(
  server: Pick<ApiServer, "handle">,
  settings: ComponentsSettings,
  choice: ChosenPodNetwork,
): BackgroundComponent | undefined {
  const { options, chosen, network: plan, rootDir, callers, clock, random, log, metrics } = settings;
  const { clusterCidrs } = chosen;
  if (options.node === undefined || chosen.runtime === undefined || chosen.podNetwork === undefined) return undefined;
  const removesNetwork = options.dataDir === undefined;
  const where = { options: options.node, chosen: chosen.runtime, plan, choice, rootDir: resolve(rootDir), clusterCidrs, removesNetwork };
  return startPodNetworkInBackground(server, { ...where, callers, clock, random, log, metrics });
}

function startProxy(
  server: Pick<ApiServer, "handle">,
  settings: ComponentsSettings,
  choice: ChosenPodNetwork,
): BackgroundComponent | undefined {
  const { options, chosen, callers, clock, random, log, metrics } = settings;
  if (options.node === undefined || chosen.runtime === undefined || chosen.services?.proxy !== "machine") return undefined;
  // What a server that keeps nothing has led to is nobody's when it ends.
  const removesRules = options.dataDir === undefined;
  const node = { options: options.node, chosen: chosen.runtime, removesRules, choice, podCidrs: chosen.clusterCidrs };
  return startProxyInBackground(server, { ...node, callers, clock, random, log, metrics });
}

function startNetworkPolicy(
  server: Pick<ApiServer, "handle">,
  settings: ComponentsSettings,
  shared: { readonly choice: ChosenPodNetwork; readonly gate: PolicyGate },
): BackgroundComponent | undefined {
  const { options, chosen, network: plan, callers, clock, random, log, metrics } = settings;
  if (options.node === undefined || chosen.runtime === undefined || chosen.networkPolicy?.enforced !== true) return undefined;
  const dnsAddresses = chosen.services?.dns?.addresses ?? [];
  const removesRules = options.dataDir === undefined;
  const node = { options: options.node, chosen: chosen.runtime, plan, ...shared, dnsAddresses, removesRules };
  return startNetworkPolicyInBackground(server, { ...node, callers, clock, random, log, metrics });
}

function startDns(server: Pick<ApiServer, "handle">, settings: ComponentsSettings): BackgroundComponent | undefined {
  const { options, chosen, callers, clock, random, log, metrics } = settings;
  if (options.node === undefined || chosen.services?.dns === undefined) return undefined;
  const { clusterDomain, resolvConf } = options.node;
  return startDnsInBackground(server, { ...chosen.services.dns, clusterDomain, resolvConf, callers, clock, random, log, metrics });
}

/** Where Pods of real containers reach the server, they and others reach the node, too: its loopback address is each Pod's own. */
function nodeAddress({ options, podsUrl, chosen }: ComponentsSettings): string | undefined {
  if (podsUrl !== undefined) return chosen.podsAddress;
  return isUnspecified(options.address) ? undefined : options.address;
}

const namespacedNodes = (
  server: Pick<ApiServer, "handle">,
  plan: NetworkPlan,
  { url, podsUrl = url, options, chosen, certificates, callers, clock, random, log }: ComponentsSettings,
): NamespacedNodes => ({
  plan,
  server: serverUrl(podsUrl, plan, options),
  credentials: ({ name, address, address6 }) => ({
    client: certificates.kubeletClient(name),
    serving: certificates.kubeletServing(name, { dns: [name], ip: address6 === undefined ? [address] : [address, address6] }),
    serverAuthority: rootCaOf(certificates),
    clientAuthority: clientAuthorityOf(certificates),
  }),
  hasPodNetwork: chosen.podNetwork !== undefined,
  enforcesPolicies: chosen.networkPolicy?.enforced === true,
  startProxy: async ({ name, namespace }, masqueradeAll) => {
    if (chosen.services?.proxy !== "nodes") return undefined;
    const { startNodeProxy } = await import("../nodes/node-proxy.ts");
    const detectLocal = chosen.podNetwork === undefined ? ({ mode: "none" } as const) : ({ mode: "NodeCIDR" } as const);
    const settings = { nodeName: name, detectLocal, masqueradeAll, inside: inNamespace(namespace) };
    return startNodeProxy(server, settings, { callers, clock, random, log });
  },
});

/** What listens on all addresses is reached at this machine's among the nodes. */
const serverUrl = (url: string, { gateway }: NetworkPlan, { address }: Options): string =>
  isUnspecified(address) ? `https://${gateway}:${new URL(url).port}` : url;

const clientAuthorityOf = ({ authority }: ClusterCertificates): ContentProvider<string> =>
  derivedContent([authority], () => authority.current.cert);

const rootCaOf = (certificates: ClusterCertificates): ContentProvider<string> =>
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

type Current = () => StartedComponents | undefined;

export function healthChecksOf(
  { controllers, scheduler, runtime, services, podNetwork, networkPolicy }: ChosenComponents,
  current: Current,
): HealthCheck[] {
  const check = (part: Exclude<keyof StartedComponents, symbol>, runs: boolean, name: string = part): HealthCheck[] =>
    runs ? [{ name, only: "healthz", ok: () => current()?.[part]?.healthy() === true }] : [];
  return [
    ...check("controllers", controllers.length > 0),
    ...check("scheduler", scheduler !== undefined),
    ...check("nodes", runtime !== undefined),
    ...check("podNetwork", podNetwork !== undefined, "pod-network"),
    ...check("networkPolicy", networkPolicy?.enforced === true, "network-policy"),
    ...check("proxy", services?.proxy === "machine"),
    ...check("dns", services?.dns !== undefined),
  ];
}

/** By the names of ComponentStatuses. */
export function componentHealthOf({ controllers, scheduler }: ChosenComponents, current: Current): ReadonlyMap<string, () => boolean> {
  const healthOf = (name: "controllers" | "scheduler") => (): boolean => current()?.[name]?.healthy() === true;
  return new Map([
    ...(scheduler === undefined ? [] : [["scheduler", healthOf("scheduler")] as const]),
    ...(controllers.length === 0 ? [] : [["controller-manager", healthOf("controllers")] as const]),
  ]);
}

/** `/coxswain/v1/scheduling/<namespace>/<pod>`, for those who may read the Pod. */
export async function explanationAt(
  [namespace = "", name = "", ...rest]: readonly string[],
  components: StartedComponents | undefined,
  mayGet: MayGet,
): Promise<object | undefined> {
  if (rest.length > 0 || !(await mayGet({ resource: "pods", namespace, name }))) return undefined;
  return components?.scheduler?.explain(namespace, name);
}
