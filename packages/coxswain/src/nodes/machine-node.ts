/** This machine as a node, with containers or processes. */
import { join, resolve } from "node:path";
import { createEventRecorder, MetricsRegistry } from "@coxswain/client";
import {
  createCriRuntime,
  createKubelet,
  defaultThresholds,
  type Machine,
  openProcessRuntime,
  type PodRuntime,
  parseThresholds,
} from "@coxswain/kubelet";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { restartOnFailure } from "../components/restart-on-failure.ts";
import type { NodesEndpoint, NodesSettings, StartedNodes } from "./nodes-settings.ts";

export interface MachineSettings extends NodesSettings {
  readonly kind: "cri" | "process";
  readonly machine: Machine;
}

/** @throws RangeError for thresholds that make no sense */
export async function startMachineNode(settings: MachineSettings, { names: [name], port, served }: NodesEndpoint): Promise<StartedNodes> {
  await using stack = new AsyncDisposableStack();
  const { clientFor, log } = settings;
  const client = clientFor(name);
  const { clock } = client;
  const metrics = new MetricsRegistry();
  const isolate = settings.kind === "cri" ? settings.isolateFor?.(name) : undefined;
  const fixed = { ...fixedOptions(settings), ...(isolate === undefined ? {} : { isolate }) };
  const runtime = stack.use(await openRuntime(settings, name));
  const ready = Promise.withResolvers<void>();
  // Who does not wait for it need not handle that it never comes.
  ready.promise.catch(() => undefined);
  let isReady = false;
  const run = async (signal: AbortSignal, onHealthy: () => void): Promise<void> => {
    await using events = createEventRecorder({ client, component: "kubelet", host: name });
    const kubelet = createKubelet({ ...fixed, client, runtime, events, metrics, identity: { ...fixed.identity, name, port } });
    served.set(name, kubelet.served);
    kubelet.ready.then(
      () => {
        isReady = true;
        onHealthy();
        ready.resolve();
        log.info({ node: name }, "node ready");
      },
      () => undefined,
    );
    await kubelet.run(signal).finally(() => {
      isReady = false;
    });
  };
  const stop = new AbortController();
  const running = restartOnFailure({ component: "kubelet", clock, log, run }, stop.signal).finally(() => ready.reject(stop.signal.reason));
  stack.defer(async () => {
    stop.abort(new Error("the node is stopped"));
    await running;
  });
  const owned = stack.move();
  return {
    ready: ready.promise,
    metrics: () => metrics.text(),
    healthy: () => isReady,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openRuntime({ options, rootDir, kind, machine, random, clientFor }: MachineSettings, name: string): Promise<PodRuntime> {
  const { clock } = clientFor(name);
  if (kind === "cri") return await createCriRuntime({ socket: options.runtimeEndpoint, clock });
  return await openProcessRuntime({ directory: join(rootDir, "processes"), clock, random, podIps: machine.addresses.slice(0, 1) });
}

function fixedOptions({ options, rootDir, machine, kubeletVersion, masterService, random, log, kind }: MachineSettings) {
  const { labels, taints, maxPods, cgroupRoot, evictionHard, staticPods, clusterDomain, resolvConf } = options;
  // Processes resolve names as this machine does: an address here only prevents the kubelet's warning that there is none.
  const clusterDns = options.clusterDns.length === 0 && kind === "process" ? ["10.96.0.10"] : options.clusterDns;
  return {
    identity: { machine, kubeletVersion, labels, taints, maxPods },
    rootDir,
    logsDir: join(rootDir, "logs"),
    random,
    log,
    thresholds: evictionHard === undefined ? defaultThresholds : parseThresholds(evictionHard),
    cgroupRoot,
    clusterDomain,
    resolvConf,
    ...(staticPods === undefined ? {} : { staticPods: resolve(staticPods) }),
    ...(masterService === undefined ? {} : { masterService }),
    ...(clusterDns.length === 0 ? {} : { clusterDns }),
  };
}
