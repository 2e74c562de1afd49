/**
 * How fast Pods find nodes: 10,000 Pods that are there when the scheduler starts, on 5,000 nodes, with the server in the
 * same process; plain, with anti-affinity to their kind, and spread over zones. One JSON line each: Pods a second from the
 * start of the scheduler to the last binding. Arguments: a scale (0.1 is a tenth), and a part of a case's name.
 */
import { type api, type Client, nodes, pods, startControllers } from "@coxswain/client";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { startCluster } from "coxswain/testing";

type PodSpec = api.coreV1.PodSpec;

const scale = Number(process.argv[2] ?? 1);
const chosen = process.argv[3] ?? "";
const scaled = (count: number): number => Math.max(1, Math.round(count * scale));
const zones = 10;
const apps = 100;

const cases: readonly { readonly name: string; readonly specOf: (app: string) => Partial<PodSpec> }[] = [
  { name: "plain", specOf: () => ({}) },
  {
    name: "anti-affinity",
    specOf: (app) => ({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart(app)] } } }),
  },
  { name: "topology spread", specOf: (app) => ({ topologySpreadConstraints: [spread(app)] }) },
];

const apart = (app: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey: "kubernetes.io/hostname" });

const spread = (app: string) => ({
  maxSkew: 1,
  topologyKey: "topology.kubernetes.io/zone",
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { app } },
});

for (const { name, specOf } of cases.filter(({ name }) => name.includes(chosen))) await measure(name, specOf);

async function measure(name: string, specOf: (app: string) => Partial<PodSpec>): Promise<void> {
  await using cluster = await startCluster();
  const { client } = cluster;
  const facts = { nodes: scaled(5_000), pods: scaled(10_000) };
  await inParallel(facts.nodes, 50, (i) => makeNode(client, i));
  await inParallel(facts.pods, 50, (i) => makePod(client, i, specOf));
  const scheduler = createScheduler({ profiles: [defaultProfile()] });
  const bound = countBound(client, facts.pods);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await using _running = startControllers([scheduler], { client: cluster.clientFor({ name: "system:kube-scheduler" }) });
  await scheduler.ready;
  const readyAt = performance.now();
  await bound;
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuSeconds = round((user + system) / 1e6);
  const residentMb = Math.round(process.memoryUsage.rss() / 2 ** 20);
  print({
    name,
    ...facts,
    readySeconds: round((readyAt - startedAt) / 1000),
    seconds: round(seconds),
    podsPerSecond: Math.round(facts.pods / seconds),
    cpuSeconds,
    residentMb,
  });
}

async function makeNode(client: Client, i: number): Promise<void> {
  const name = `node-${i}`;
  const labels = { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": `zone-${i % zones}` };
  const allocatable = { cpu: "32", memory: "256Gi", pods: "110", "ephemeral-storage": "100Gi" };
  const resource = client.resource(nodes);
  const made = await resource.create({ metadata: { name, labels } });
  await resource.updateStatus({ ...made, status: { ...made.status, allocatable, capacity: allocatable } });
  await resource.patch(name, { type: "merge", patch: { spec: { taints: null } } });
}

async function makePod(client: Client, i: number, specOf: (app: string) => Partial<PodSpec>): Promise<void> {
  const app = `app-${i % apps}`;
  const resources = { requests: { cpu: "100m", memory: "128Mi" } };
  const spec = { containers: [{ name: "c", image: "nginx:1", resources }], ...specOf(app) };
  await client.resource(pods).create({ metadata: { name: `pod-${i}`, labels: { app } }, spec });
}

async function countBound(client: Client, count: number): Promise<void> {
  const bound = new Set<string>();
  for await (const event of client.resource(pods).watch({ fieldSelector: "spec.nodeName!=" })) {
    if (event.type === "BOOKMARK") continue;
    for (const { metadata } of event.type === "LISTED" ? event.items : [event.object]) bound.add(metadata?.name ?? "");
    if (bound.size >= count) return;
  }
}

async function inParallel(count: number, workers: number, run: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await run(i);
  };
  await Promise.all(Array.from({ length: workers }, work));
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
