/** The nodes of this machine, real or simulated, and the server through which their logs and commands are reached. */
import { mkdir } from "node:fs/promises";
import type { Log } from "@coxswain/apiserver";
import { createKubeletServer, delegatedAccess, type KubeletServer, type ServedNode, thisMachine } from "@coxswain/kubelet";
import { AsyncDisposableStack } from "@coxswain/machinery";
import type { KeyPair } from "@coxswain/pki/node";
import { hostAddressFirst } from "./host-address.ts";
import { startMachineNode } from "./machine-node.ts";
import type { NamespacedNodes } from "./namespaces/namespaced-nodes.ts";
import { startNamespacedNodes } from "./namespaces/start-namespaced-nodes.ts";
import { nodeNames } from "./node-names.ts";
import type { NodesEndpoint, NodesSettings, ServingCredentials, StartedNodes } from "./nodes-settings.ts";
import { startSimulatedNodes } from "./simulated-nodes.ts";

export interface RunningNodes extends StartedNodes {
  readonly names: readonly string[];
}

/** @throws RangeError for thresholds that make no sense */
export async function startNodes(settings: NodesSettings): Promise<RunningNodes> {
  if (settings.namespaced !== undefined) return await startNamespaced(settings, settings.namespaced);
  await using stack = new AsyncDisposableStack();
  const { clientAuthority, rootDir, log, address, options, chosen, clientFor } = settings;
  await mkdir(rootDir, { recursive: true, mode: 0o750 });
  const found = await thisMachine(rootDir);
  const { nodeIps } = options;
  const reached = address === undefined ? hostAddressFirst(found.addresses) : [address];
  const machine = nodeIps === undefined ? { ...found, addresses: reached } : { ...found, addresses: nodeIps, nodeIps };
  const { addresses } = machine;
  const names = nodeNames(options, chosen, machine.hostname);
  const client = clientFor(names[0]);
  const served = new Map<string, ServedNode>();
  const { current: tls, follow } = await settings.credentials(names[0], { dns: names, ip: addresses }, client);
  const server = stack.use(
    createKubeletServer({
      nodes: served,
      tls,
      clientAuthority: clientAuthority.current,
      access: delegatedAccess(client),
      clock: client.clock,
      log,
    }),
  );
  stack.use(clientAuthority.subscribe((pem) => server.setClientAuthority(pem)));
  if (follow !== undefined) stack.use(followCredentials(server, follow, log));
  const { port } = await server.listen(options.kubeletPort, address ?? "0.0.0.0");
  const place: NodesEndpoint = { names, addresses, port, served };
  const nodes = stack.use(
    chosen.kind === "simulated"
      ? startSimulatedNodes(settings, place)
      : await startMachineNode({ ...settings, kind: chosen.kind, machine }, place),
  );
  const owned = stack.move();
  return {
    names,
    ready: nodes.ready,
    metrics: () => nodes.metrics(),
    healthy: () => nodes.healthy(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startNamespaced(settings: NodesSettings, namespaced: NamespacedNodes): Promise<RunningNodes> {
  const { options, rootDir, clientFor, log } = settings;
  const names = namespaced.plan.nodes.map(({ name }) => name);
  const { clock } = clientFor(names[0] ?? "");
  return { ...(await startNamespacedNodes({ ...namespaced, options, rootDir, clientFor, clock, log })), names };
}

/** Until it is disposed of. */
function followCredentials(server: KubeletServer, follow: NonNullable<ServingCredentials["follow"]>, log: Log): Disposable {
  const stop = new AbortController();
  const use = (tls: KeyPair): void => {
    server.setCredentials(tls);
    log.info({}, "the kubelet serves with a new certificate");
  };
  follow(use, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) log.warn({ error }, "failed to get a serving certificate; the kubelet goes on with the one that it has");
  });
  return { [Symbol.dispose]: () => stop.abort(new Error("the nodes are stopped")) };
}
