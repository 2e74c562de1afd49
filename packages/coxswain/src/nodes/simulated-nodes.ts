/** Nodes on which nothing really runs, as many as one likes. */
import { type ControllerManager, controllerManager, MetricsRegistry } from "@coxswain/client";
import { createFleet, Simulation, simulatedIdentity } from "@coxswain/kubelet";
import { restartOnFailure } from "../components/restart-on-failure.ts";
import type { NodesEndpoint, NodesSettings, StartedNodes } from "./nodes-settings.ts";

export function startSimulatedNodes(settings: NodesSettings, { names, addresses, port, served }: NodesEndpoint): StartedNodes {
  const { clientFor, fleetClient, sharesReads = false, options, kubeletVersion, ipFamilies, random, log, informers } = settings;
  const { labels, taints, maxPods } = options;
  const client = fleetClient();
  const { clock } = client;
  const metrics = new MetricsRegistry();
  const ready = Promise.withResolvers<void>();
  // Who does not wait for it need not handle that it never comes.
  ready.promise.catch(() => undefined);
  const stop = new AbortController();
  let current: ControllerManager | undefined;
  const run = async (signal: AbortSignal, onHealthy: () => void): Promise<void> => {
    const simulation = new Simulation({ clock, random });
    const fleet = createFleet({
      nodes: names,
      simulation,
      clientFor,
      sharesReads,
      ipFamilies,
      identity: (_, index) => {
        const { machine } = simulatedIdentity(names[index] ?? "", index);
        return { machine: { ...machine, addresses }, kubeletVersion, port, labels, taints, maxPods };
      },
    });
    const manager = controllerManager([fleet], { client, component: "kubelet", log, metrics, informers });
    current = manager;
    fleet.ready.then(
      () => {
        for (const name of names) served.set(name, fleet.node(name) ?? raise(name));
        onHealthy();
        ready.resolve();
        log.info({ nodes: names.length }, "nodes ready");
      },
      () => undefined,
    );
    await manager.run(signal);
  };
  const running = restartOnFailure({ component: "nodes", clock, log, run }, stop.signal).finally(() => ready.reject(stop.signal.reason));
  return {
    ready: ready.promise,
    metrics: () => metrics.text(),
    healthy: () => served.size === names.length && current?.healthy().ok === true,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the nodes are stopped"));
      await running;
    },
  };
}

function raise(name: string): never {
  throw new Error(`the fleet has no node ${name}`);
}
