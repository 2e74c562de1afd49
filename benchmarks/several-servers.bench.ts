/**
 * Three servers on one etcd; controllers, scheduler and simulated nodes in processes of their own. Deployments of 100 Pods are made until all Pods run,
 * while a client calls the servers: how long calls take, and what each process uses. One JSON line for each part; options are in
 * several-servers/options.ts.
 */
import { setTimeout as rest } from "node:timers/promises";
import { type api, type Client, clusterRoleBindings, deployments, namespaces, nodes } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { type Caller, startCalling } from "./several-servers/calls.ts";
import { type Cluster, startServers } from "./several-servers/cluster.ts";
import { parseOptions } from "./several-servers/options.ts";
import { machineCpuSeconds, type Usage } from "./several-servers/processes.ts";
import { perUnit, requestCounts } from "./several-servers/server-metrics.ts";
import { callerName } from "./several-servers/tokens.ts";

const podsEach = 100;
const options = parseOptions(process.argv.slice(2));
const facts = { nodes: options.nodes, pods: options.deployments * podsEach };
await using cluster = await startServers(options);
if (cluster === undefined) process.stdout.write(`${JSON.stringify({ skipped: "etcd is not installed" })}\n`);
else await run(cluster);

async function run({ processes, kubeconfigs, userKubeconfigs, etcdSize, startComponents }: Cluster): Promise<void> {
  await using clients = await clientsOf(kubeconfigs);
  await using users = await clientsOf(userKubeconfigs);
  const [client] = clients.all;
  if (client === undefined) throw new TypeError("no server was asked for");
  await grantEverything(client);
  const caller = startCalling(users.all);
  let before = processes.usage();
  let machineBefore = machineCpuSeconds();
  let counted = await requestCounts(clients.all);
  const part = async (name: string, work: () => Promise<object | undefined>): Promise<void> => {
    const startedAt = performance.now();
    const more = await work();
    const seconds = round((performance.now() - startedAt) / 1_000);
    const now = processes.usage();
    const machineNow = machineCpuSeconds();
    const counts = await requestCounts(clients.all);
    print({
      name,
      ...facts,
      seconds,
      ...more,
      etcd: await etcdSize(),
      calls: caller.times(),
      machineCpuSeconds: round(machineNow - machineBefore),
      used: difference(before, now),
      requests: { ...perUnit(counted, counts, unitsOf(name, seconds)) },
    });
    [before, machineBefore, counted] = [now, machineNow, counts];
  };
  await part("nodes are ready", async () => {
    startComponents();
    await until(async () => (await readyNodes(client)) === options.nodes, 5_000);
    return undefined;
  });
  await part("Pods are ready", () => makePods(client));
  await part("settles", () => rest(15_000, undefined));
  await part("at rest", () => rest(30_000, undefined));
  await part("list of all Pods", () => listPods(clients.all));
  await stop(caller);
}

/** Requests are counted for each node, for each Pod, or for each second of rest. */
function unitsOf(name: string, seconds: number): number {
  return name === "nodes are ready" ? facts.nodes : name === "Pods are ready" ? facts.pods : seconds;
}

async function stop(caller: Caller): Promise<void> {
  await caller.stop();
  if (caller.failures.length > 0) print({ name: "calls that failed", failures: caller.failures });
}

async function clientsOf(kubeconfigs: readonly string[]): Promise<AsyncDisposable & { readonly all: readonly Client[] }> {
  const all = await Promise.all(kubeconfigs.map((path) => clientFromKubeconfig({ paths: [path], fieldManager: "benchmark" })));
  return {
    all,
    [Symbol.asyncDispose]: async () => void (await Promise.all(all.map((one) => one[Symbol.asyncDispose]()))),
  };
}

async function grantEverything(client: Client): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  await client.resource(clusterRoleBindings).create({
    metadata: { name: "benchmark" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup, kind: "User", name: callerName }],
  });
}

/** Resolves when all are ready, or the time is over. */
async function makePods(client: Client): Promise<object> {
  const { deployments: count, atATime = count, limitMs } = options;
  const startedAt = performance.now();
  await client.resource(namespaces).create({ metadata: { name: "many" } });
  const resource = client.resource(deployments, "many");
  let made = 0;
  let makingSeconds = 0;
  for (let ready = 0; ready < facts.pods; ) {
    for (; made < count && made < Math.floor(ready / podsEach) + atATime; made++) {
      await resource.create(deployment(`web-${made}`));
      if (made === count - 1) makingSeconds = round((performance.now() - startedAt) / 1_000);
    }
    await rest(2_000);
    const { items } = await resource.list({ resourceVersion: "0" });
    const sum = (of: (status: api.appsV1.DeploymentStatus) => number | undefined): number =>
      items.reduce((total, { status }) => total + ((status && of(status)) ?? 0), 0);
    ready = sum((status) => status.readyReplicas);
    const seconds = (performance.now() - startedAt) / 1_000;
    process.stderr.write(`${seconds.toFixed(0)} s: ${made} Deployments, ${sum(({ replicas }) => replicas)} Pods, ${ready} ready\n`);
    if (seconds * 1_000 > limitMs) return { ready, makingSeconds, isOver: true };
  }
  return { makingSeconds, podsPerSecond: round(facts.pods / ((performance.now() - startedAt) / 1_000)) };
}

function deployment(name: string): api.appsV1.Deployment {
  const labels = { app: name };
  const containers = [{ name: "web", image: "nginx:1", resources: { requests: { cpu: "100m", memory: "64Mi" } } }];
  return {
    metadata: { name },
    spec: { replicas: podsEach, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

async function readyNodes(client: Client): Promise<number> {
  const { items } = await client.resource(nodes).list({ resourceVersion: "0" });
  return items.filter(({ spec, status }) => (spec?.taints ?? []).length === 0 && isReady(status)).length;
}

function isReady(status: api.coreV1.NodeStatus | undefined): boolean {
  return status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;
}

/** The body alone, as what reads it would only measure itself. */
async function listPods(clients: readonly Client[]): Promise<object> {
  const lists: object[] = [];
  for (const client of clients) {
    const startedAt = performance.now();
    const response = await client.request({ method: "GET", path: "/api/v1/pods", headers: { accept: "application/json" } });
    let bytes = 0;
    for await (const chunk of response.chunks()) bytes += chunk.length;
    lists.push({ megabytes: round(bytes / 1e6), ms: round(performance.now() - startedAt) });
  }
  return { lists };
}

async function until(met: () => Promise<boolean>, pauseMs: number): Promise<void> {
  while (!(await met())) await rest(pauseMs);
}

function difference(before: Readonly<Record<string, Usage>>, now: Readonly<Record<string, Usage>>): Readonly<Record<string, Usage>> {
  const used = ([name, { cpuSeconds, ...memory }]: readonly [string, Usage]): [string, Usage] => [
    name,
    { cpuSeconds: round(cpuSeconds - (before[name]?.cpuSeconds ?? 0)), ...memory },
  ];
  return Object.fromEntries(Object.entries(now).map(used));
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
