/**
 * A cluster in one process: API server, all controllers, scheduler and 1,000 simulated nodes, on which 300 Deployments bring
 * 30,000 Pods to run; what that takes in time and memory, and how fast single objects are read and written meanwhile. One
 * JSON line each; the argument scales everything down: 0.1 is a tenth.
 */
import { setTimeout as rest } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { type api, type Client, configMaps, deployments, namespaces, nodes, pods } from "@coxswain/client";
import { chooseControllers, manageControllers } from "@coxswain/controllers";
import { createFleet, Simulation } from "@coxswain/kubelet";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { startCluster } from "coxswain/testing";

// Collected sooner than V8 would by itself on a machine with room: what lives and a tenth more, for some more work.
setFlagsFromString("--heap-growing-percent=10");

const scale = Number(process.argv[2] ?? 1);
const scaled = (count: number): number => Math.max(1, Math.round(count * scale));
const facts = { nodes: scaled(1_000), deployments: scaled(300), pods: scaled(300) * 100 };

await using cluster = await startCluster();
const { client, clock, random } = cluster;
const fleet = createFleet({ nodes: facts.nodes, simulation: new Simulation({ clock, random }), client: clientOf("kubelet") });
const scheduler = createScheduler({ profiles: [defaultProfile()], sharedPods: true });
const tasks = [fleet, scheduler].map((task) => ({ name: task.name, make: () => [task] }));
const manager = manageControllers([...chooseControllers(["*"]), ...tasks], {
  client: clientOf("kube-controller-manager"),
  settings: { rootCa: "" },
});
const stop = new AbortController();
const running = manager.run(stop.signal).catch((error: unknown) => {
  if (!stop.signal.aborted) throw error;
});
try {
  await measured("nodes register", async () => {
    await fleet.ready;
    await until(async () => (await readyNodes(client)) === facts.nodes);
  });
  await measured("Pods run", async () => {
    const there = countReady(client, facts.pods);
    await client.resource(namespaces).create({ metadata: { name: "many" } });
    for (let i = 0; i < facts.deployments; i++) await client.resource(deployments, "many").create(deployment(`web-${i}`, 100));
    await there;
  });
  await idle();
  await singleObjects();
} finally {
  stop.abort(new Error("the measurement is over"));
  await running;
}

function clientOf(fieldManager: string): Client {
  return cluster.clientFor({ name: `system:${fieldManager}` }, { fieldManager });
}

async function measured(name: string, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  print({ name, ...facts, seconds: round(seconds), cpuSeconds: round((user + system) / 1e6), ...memory() });
}

async function idle(): Promise<void> {
  await rest(20_000);
  const before = process.cpuUsage();
  await rest(30_000);
  const { user, system } = process.cpuUsage(before);
  print({ name: "idle", ...facts, cpuPercent: round((user + system) / 1e6 / 0.3), ...memory() });
}

/** Beside the heartbeats of the nodes: 50 writes and 50 reads a second. */
async function singleObjects(): Promise<void> {
  const resource = client.resource(configMaps, "many");
  const times: number[] = [];
  const timed = async (work: Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    await work;
    times.push(performance.now() - startedAt);
  };
  const calls: Promise<void>[] = [];
  for (let i = 0; i < 1_000; i++) {
    calls.push(timed(resource.create({ metadata: { name: `c-${i}` }, data: { i: String(i) } })));
    calls.push(timed(client.resource(nodes).get(fleet.names[i % facts.nodes] ?? "")));
    await rest(20);
  }
  await Promise.all(calls);
  times.sort((a, b) => a - b);
  const at = (share: number) => round(times[Math.floor(times.length * share)] ?? 0);
  print({ name: "single objects", p50Ms: at(0.5), p99Ms: at(0.99), mostMs: round(times.at(-1) ?? 0), ...memory() });
}

function deployment(name: string, replicas: number): api.appsV1.Deployment {
  const labels = { app: name };
  const containers = [{ name: "web", image: "nginx:1", resources: { requests: { cpu: "100m", memory: "64Mi" } } }];
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

async function readyNodes(client: Client): Promise<number> {
  const { items } = await client.resource(nodes).list();
  return items.filter(({ spec, status }) => (spec?.taints ?? []).length === 0 && isTrue(status?.conditions, "Ready")).length;
}

function isTrue(conditions: readonly { type: string; status: string }[] | undefined, type: string): boolean {
  return conditions?.some((one) => one.type === type && one.status === "True") === true;
}

async function countReady(client: Client, count: number): Promise<void> {
  const ready = new Set<string>();
  for await (const event of client.resource(pods, "many").watch()) {
    if (event.type === "BOOKMARK") continue;
    for (const { metadata, status } of event.type === "LISTED" ? event.items : [event.object]) {
      if (isTrue(status?.conditions, "Ready")) ready.add(metadata?.name ?? "");
    }
    if (ready.size >= count) return;
  }
}

async function until(met: () => Promise<boolean>): Promise<void> {
  while (!(await met())) await rest(100);
}

function memory() {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { residentMb: megabytes(rss), heapMb: megabytes(heapUsed), externalMb: megabytes(external) };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
