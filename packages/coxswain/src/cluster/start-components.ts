/** Everything that runs beside the API server in its process: each has a check in `/healthz`. */
import { resolve } from "node:path";
import type { ApiServer, ComponentHealth, HealthCheck, MayGet } from "@coxswain/apiserver";
import { startDnsInBackground } from "../cluster-dns/start-in-background.ts";
import { type SharedInformers, startSharedInformers } from "../components/shared-informers.ts";
import type { BackgroundComponent } from "../components/start-in-background.ts";
import { connectInProcess } from "../components/start-in-process.ts";
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
import { isUnspecified } from "../pki/served-names.ts";
import { type BackgroundScheduler, startSchedulerInBackground } from "../scheduler/start-in-background.ts";
import { type StartedThreads, startThreads } from "../threads/start-threads.ts";
import type { ChosenComponents } from "./choose-components.ts";
import { type ComponentsSettings, clientAuthorityOf, controllersOf, isElected, nodesOf, rootCaOf } from "./components-settings.ts";

export interface StartedComponents extends AsyncDisposable {
  readonly controllers: BackgroundComponent | undefined;
  readonly scheduler: BackgroundScheduler | undefined;
  readonly nodes: BackgroundComponent | undefined;
  readonly proxy: BackgroundComponent | undefined;
  readonly dns: BackgroundComponent | undefined;
  readonly podNetwork: BackgroundComponent | undefined;
  readonly networkPolicy: BackgroundComponent | undefined;
}

export function startComponents(server: Pick<ApiServer, "handle">, given: Omit<ComponentsSettings, "informers">): StartedComponents {
  const { chosen, clock } = given;
  const all: AsyncDisposable[] = [];
  const maybe = <T extends AsyncDisposable>(started: T | undefined): T | undefined => {
    if (started !== undefined) all.push(started);
    return started;
  };
  const threads = startComponentThreads(server, given);
  all.push(threads);
  const shared = maybe(startShared(server, given, threads));
  const settings: ComponentsSettings = { ...given, informers: shared?.informers };
  const controllers = maybe(threads.threadOf("controllers")?.component("controllers") ?? startControllers(server, settings));
  const scheduler = maybe(threads.threadOf("scheduler")?.scheduler() ?? startScheduler(server, settings));
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
  const nodes = maybe(threads.threadOf("nodes")?.component("nodes") ?? startNodes(server, settings, gate));
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

/** The nodes of this machine's containers and processes stay here, with what else writes its networks: they are few. */
function startComponentThreads(server: Pick<ApiServer, "handle">, settings: ComponentsSettings): StartedThreads {
  const { options, chosen, certificates, callers, clock, log, metrics } = settings;
  return startThreads({
    ...{ server, callers, clock, log, metrics },
    threads: options.threads ?? 1,
    logLevel: options.logLevel,
    controllers: controllersOf(settings),
    scheduler: chosen.scheduler && { configFile: options.schedulerConfig, isElected: isElected(settings) },
    nodes: chosen.runtime?.kind === "simulated" ? nodesOf(settings) : undefined,
    rootCa: rootCaOf(certificates),
    clientAuthority: clientAuthorityOf(certificates),
    kubeletServing: (node, names) => certificates.kubeletServing(node, names),
  });
}

/** Of what has no thread of its own. */
function startShared(
  server: Pick<ApiServer, "handle">,
  settings: ComponentsSettings,
  threads: StartedThreads,
): SharedInformers | undefined {
  const { chosen, callers, clock, random, log, metrics } = settings;
  const present = [
    ...(controllersOf(settings) === undefined ? [] : (["controllers"] as const)),
    ...(chosen.scheduler === undefined ? [] : (["scheduler"] as const)),
    ...(chosen.runtime?.kind === "simulated" && nodesOf(settings) !== undefined ? (["nodes"] as const) : []),
  ].filter((one) => threads.threadOf(one) === undefined);
  const shared = startSharedInformers(connectInProcess(server, callers), present, { clock, random, log });
  if (shared === undefined) return undefined;
  const included = metrics.include(async () => shared.metrics());
  return {
    ...shared,
    [Symbol.asyncDispose]: async () => {
      included[Symbol.dispose]();
      await shared[Symbol.asyncDispose]();
    },
  };
}

function startControllers(server: Pick<ApiServer, "handle">, settings: ComponentsSettings): BackgroundComponent | undefined {
  const { certificates, callers, clock, random, log, metrics, informers } = settings;
  const chosen = controllersOf(settings);
  if (chosen === undefined) return undefined;
  const { choice, isElected, ...nodeIpam } = chosen;
  const beside = { clock, random, log, metrics, informers };
  const controllers = { choice, isElected, settings: { rootCa: rootCaOf(certificates), ...nodeIpam } };
  return startControllersInBackground(connectInProcess(server, callers), { ...beside, ...controllers });
}

function startScheduler(server: Pick<ApiServer, "handle">, settings: ComponentsSettings): BackgroundScheduler | undefined {
  const { chosen, callers, clock, random, log, metrics, informers } = settings;
  if (chosen.scheduler === undefined) return undefined;
  const scheduler = { config: chosen.scheduler.config, isElected: isElected(settings) };
  return startSchedulerInBackground(connectInProcess(server, callers), { clock, random, log, metrics, informers, ...scheduler });
}

function startNodes(server: Pick<ApiServer, "handle">, settings: ComponentsSettings, gate: PolicyGate): BackgroundComponent | undefined {
  const { chosen, certificates, network, callers, clock, random, log, metrics, informers } = settings;
  const nodes = nodesOf(settings);
  if (nodes === undefined) return undefined;
  return startNodesInBackground(connectInProcess(server, callers), {
    ...{ clock, random, log, metrics, informers },
    ...nodes,
    credentials: (node, names) => followedCredentials(certificates.kubeletServing(node, names)),
    clientAuthority: clientAuthorityOf(certificates),
    isolateFor: chosen.networkPolicy?.enforced === true ? (node) => gate.isolateFor(node) : undefined,
    namespaced: network && namespacedNodes(server, network, settings),
  });
}

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

type Current = () => StartedComponents | undefined;

export function healthChecksOf(
  { controllers, scheduler, runtime, services, podNetwork, networkPolicy }: ChosenComponents,
  current: Current,
): HealthCheck[] {
  const check = (part: Exclude<keyof StartedComponents, symbol>, runs: boolean, name: string = part): HealthCheck[] =>
    runs ? [{ name, only: "healthz", ok: async () => (await current()?.[part]?.healthy()) === true }] : [];
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
export function componentHealthOf({ controllers, scheduler }: ChosenComponents, current: Current): ComponentHealth {
  const healthOf = (name: "controllers" | "scheduler") => async () => (await current()?.[name]?.healthy()) === true;
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
  return await components?.scheduler?.explain(namespace, name);
}
