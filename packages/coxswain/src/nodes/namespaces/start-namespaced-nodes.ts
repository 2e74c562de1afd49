/** Several nodes with real containers on one machine, each with a network namespace, a containerd and a kubelet of its own. */
import type { Log } from "@coxswain/apiserver";
import { type Client, nodes as nodesRef } from "@coxswain/client";
import { AsyncDisposableStack, type Clock } from "@coxswain/machinery";
import { restartOnFailure } from "../../components/restart-on-failure.ts";
import type { NodeOptions } from "../../options/node-options.ts";
import type { StartedNodes } from "../nodes-settings.ts";
import { podLinkOf } from "../pod-network/cni-config.ts";
import { ipProgram } from "./links.ts";
import type { NamespacedNodes } from "./namespaced-nodes.ts";
import type { NamespacedNode } from "./network-plan.ts";
import { nodeCgroupRoot } from "./node-cgroups.ts";
import { containerdPaths, type NodeContainerd, startContainerd } from "./node-containerd.ts";
import { nodeDataFolder } from "./node-data-folder.ts";
import { type NodeFiles, writeNodeFiles } from "./node-files.ts";
import { runKubelet } from "./node-kubelet.ts";
import { areBridgedPacketsFiltered, cniPluginFolder } from "./pod-network.ts";
import { removePods } from "./remove-pods.ts";
import { isolationSocket as isolationSocketOf, nodeFolder } from "./run-folder.ts";

export interface NamespacedNodesSettings extends NamespacedNodes {
  readonly options: NodeOptions;
  /** Absolute. */
  readonly rootDir: string;
  /** As `system:node:<name>`. */
  readonly clientFor: (node: string) => Client;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long Pods may take to end when the nodes are stopped. Milliseconds. */
const removeMs = 20_000;

export async function startNamespacedNodes(settings: NamespacedNodesSettings): Promise<StartedNodes> {
  const { plan, log, startProxy, hasPodNetwork, rootDir } = settings;
  const stop = new AbortController();
  const mustMasquerade = async ({ name, namespace }: NamespacedNode): Promise<boolean> => {
    const { cniConfDir } = containerdPaths(nodeFolder(plan.id, name), nodeDataFolder(rootDir, name));
    const routes = hasPodNetwork && (await podLinkOf(ipProgram(["-n", namespace]), cniConfDir)) === "ptp";
    return !routes && !(await areBridgedPacketsFiltered(namespace));
  };
  await using stack = new AsyncDisposableStack();
  const proxies = await Promise.all(plan.nodes.map(async (node) => stack.use(await startProxy(node, await mustMasquerade(node)))));
  const owned = stack.move();
  const nodes = plan.nodes.map((node) => startNode(settings, node, stop.signal));
  const ready = Promise.all(nodes.map((one) => one.ready)).then(() => log.info({ nodes: nodes.length }, "nodes ready"));
  // Who does not wait for it need not handle that it never comes.
  ready.catch(() => undefined);
  return {
    ready,
    // Each kubelet serves its own, and proxies of several nodes have the same names for different figures.
    metrics: () => "",
    healthy: () => nodes.every((node) => node.isReady()) && proxies.every((proxy) => proxy?.healthy() !== false),
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the nodes are stopped"));
      await Promise.all(nodes.map(({ ended }) => ended));
      await owned.disposeAsync();
    },
  };
}

interface StartedNode {
  readonly ready: Promise<void>;
  isReady(): boolean;
  readonly ended: Promise<void>;
}

function startNode(settings: NamespacedNodesSettings, node: NamespacedNode, stop: AbortSignal): StartedNode {
  const { clock, log, rootDir, server, credentials } = settings;
  const dataFolder = nodeDataFolder(rootDir, node.name);
  const files = writeNodeFiles(dataFolder, server, credentials(node));
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  const watching = followReadiness(settings, node.name, stop, (now) => {
    isReady = now;
    if (now) ready.resolve();
  });
  const run = (signal: AbortSignal, onHealthy: () => void): Promise<void> =>
    runNode({ ...settings, node, files, dataFolder, onHealthy }, signal);
  const running = restartOnFailure({ component: node.name, clock, log, run }, stop);
  const ended = Promise.all([running, watching]).then(() => {
    files[Symbol.dispose]();
    ready.reject(stop.reason);
  });
  return { ready: ready.promise, isReady: () => isReady, ended };
}

interface RunningNode extends NamespacedNodesSettings {
  readonly node: NamespacedNode;
  readonly files: NodeFiles;
  readonly dataFolder: string;
  readonly onHealthy: () => void;
}

/** Its containerd, and its kubelet as long as that runs. @throws Error when the containerd ends by itself */
async function runNode(running: RunningNode, signal: AbortSignal): Promise<void> {
  const { plan, node, options, files, dataFolder, clock, log, onHealthy } = running;
  const runFolder = nodeFolder(plan.id, node.name);
  const { sandboxImage, nodeImages: images } = options;
  const cniBinDir = cniPluginFolder() ?? "/opt/cni/bin";
  const containerd = await startContainerd(
    { namespace: node.namespace, runFolder, dataFolder, cniBinDir, sandboxImage, images: images ?? [], clock },
    signal,
  );
  onHealthy();
  const stopKubelet = new AbortController();
  const kubeletSignal = AbortSignal.any([signal, stopKubelet.signal]);
  const cgroupRoot = nodeCgroupRoot(options.cgroupRoot, plan.id, node.name);
  const { socket } = containerd;
  const isolationSocket = running.enforcesPolicies ? isolationSocketOf(runFolder) : undefined;
  const run = (signal: AbortSignal): Promise<void> =>
    runKubelet({ node, options, socket, cgroupRoot, files, runFolder, dataFolder, isolationSocket, clock }, signal);
  const kubelet = restartOnFailure({ component: `kubelet of ${node.name}`, clock, log, run }, kubeletSignal);
  try {
    await Promise.race([containerd.ended, kubelet]);
  } finally {
    stopKubelet.abort(new Error("the containerd of the node has ended"));
    await kubelet;
    if (signal.aborted) await removeAll(containerd, { clock, log, node: node.name });
    await containerd.stop();
  }
}

/** What is left then is killed with the node. */
async function removeAll({ runtime }: NodeContainerd, { clock, log, node }: { clock: Clock; log: Log; node: string }): Promise<void> {
  const late = new AbortController();
  using _timer = clock.schedule(removeMs, () => late.abort(new Error("they take too long")));
  await removePods(runtime, late.signal).catch((error: unknown) => log.warn({ node, error }, "failed to end the Pods of a node in order"));
}

/** Settles when the signal says so. */
async function followReadiness(
  { clientFor, log }: NamespacedNodesSettings,
  name: string,
  signal: AbortSignal,
  report: (isReady: boolean) => void,
): Promise<void> {
  try {
    for await (const event of clientFor(name)
      .resource(nodesRef)
      .watch({ fieldSelector: `metadata.name=${name}`, signal })) {
      if (event.type === "BOOKMARK") continue;
      const [node] = event.type === "LISTED" ? event.items : event.type === "DELETED" ? [] : [event.object];
      report(node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true);
    }
  } catch (error) {
    if (!signal.aborted) log.error({ node: name, error }, "failed to follow whether the node is ready");
  }
}
