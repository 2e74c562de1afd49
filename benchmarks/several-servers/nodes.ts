/**
 * The nodes of the run, in a process of their own: each writes as itself, through the server that is its own, as kubelets behind a balancer do.
 * Arguments: how many nodes, how many requests under way, and the kubeconfigs of the servers.
 */
import {
  type ControllerLog,
  chooseAccess,
  systemClock as clock,
  controllerManager,
  createClient,
  fixedCredential,
  MetricsRegistry,
  systemRandom as random,
  type Transport,
} from "@coxswain/client";
import { clientFromKubeconfig, loadKubeconfig, transportOf } from "@coxswain/client/node";
import { createFleet, Simulation } from "@coxswain/kubelet";
import { tokenOf } from "./tokens.ts";

const [count = "", inFlight = "", ...kubeconfigs] = process.argv.slice(2);
const [first = ""] = kubeconfigs;
/** What all nodes share is read by an administrator. */
const client = await clientFromKubeconfig({ paths: [first], fieldManager: "kubelet" });
const connections = await Promise.all(kubeconfigs.map(connection));

/** To a server, by nobody yet. */
async function connection(path: string): Promise<Transport> {
  return transportOf(chooseAccess(await loadKubeconfig({ paths: [path] }), {}), { credentials: fixedCredential({}) });
}

/** `node-1`, `node-2` and so on take turns. */
function transportOfNode(name: string): Transport {
  const transport = connections[Number(name.slice("node-".length)) % connections.length];
  if (transport === undefined) throw new TypeError("no kubeconfig is named");
  const authorization = `Bearer ${tokenOf(`system:node:${name}`)}`;
  return {
    send: (request) => transport.send({ ...request, headers: { ...request.headers, authorization } }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const fleet = createFleet({
  nodes: Number(count),
  simulation: new Simulation({ clock, random }),
  clientFor: (name) => createClient({ transport: transportOfNode(name), clock, random, fieldManager: "kubelet" }),
  sharesReads: true,
  maxInFlight: Number(inFlight),
});
const write = (level: string) => (fields: object, message: string) => {
  process.stderr.write(`${JSON.stringify({ level, message, ...fields, error: "error" in fields ? String(fields.error) : undefined })}\n`);
};
const log: ControllerLog = { debug: () => undefined, info: () => undefined, warn: write("warn"), error: write("error") };
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort(new Error("the run is over")));
await controllerManager([fleet], { client, component: "kubelet", log, metrics: new MetricsRegistry() })
  .run(stop.signal)
  .catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
await Promise.all([client, ...connections].map((one) => one[Symbol.asyncDispose]()));
