import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, type Client, configMaps, deployments, events, leases, nodes, pods, startControllers } from "@coxswain/client";
import { chooseControllers, manageControllers } from "@coxswain/controllers";
import { createFleet, type Fleet, type SimulatedImages, Simulation } from "@coxswain/kubelet";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

type Pod = api.coreV1.Pod;
const timeoutMs = 3_600_000;
const prefix = "simulation.coxswain.io/";

interface Running extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly fleet: Fleet;
  readonly client: Client;
}

/** Nodes, a scheduler, and the controllers of Deployments and of Nodes. */
async function start(count: number, images: SimulatedImages = {}): Promise<Running> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster({ clock: virtualClock({ autoAdvance: true }) }));
  const { clock, random, client } = cluster;
  const fleet = createFleet({ nodes: count, simulation: new Simulation({ clock, random, images }) });
  const tasks = [fleet, createScheduler({ profiles: [defaultProfile()], sharedPods: true })].map((task) => ({
    name: task.name,
    make: () => [task],
  }));
  const chosen = chooseControllers(["deployment-controller", "replicaset-controller", "node-lifecycle-controller"]);
  const manager = manageControllers([...chosen, ...tasks], { client: cluster.clientFor({ name: "system:masters" }), settings: {} });
  const stop = new AbortController();
  const running = manager.run(stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  stack.defer(async () => {
    stop.abort(new Error("the test is over"));
    await running;
  });
  await fleet.ready;
  const owned = stack.move();
  return { cluster, fleet, client, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const isTrue = ({ status }: Pod, type: string): boolean =>
  status?.conditions?.some((one) => one.type === type && one.status === "True") === true;
const container = (fields: Partial<api.coreV1.Container> = {}) => ({ name: "main", image: "web:1", ...fields });
const annotated = (texts: Record<string, string>) => Object.fromEntries(Object.entries(texts).map(([name, text]) => [prefix + name, text]));

test("Nodes of a fleet register, live by their Leases, and take the Pods of a Deployment", async () => {
  await using running = await start(5);
  const { client, cluster, fleet } = running;
  await cluster.waitFor(nodes, "node-5", ({ spec }) => (spec?.taints ?? []).length === 0, { timeoutMs });
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [container({ resources: { requests: { cpu: "100m" } } })] },
  };
  await client
    .resource(deployments)
    .create({ metadata: { name: "web" }, spec: { replicas: 20, selector: { matchLabels: { app: "web" } }, template } });
  await cluster.waitFor(deployments, "web", ({ status }) => status?.availableReplicas === 20, { timeoutMs });
  const { items } = await client.resource(pods).list();
  const placed = Map.groupBy(items, ({ spec }) => spec?.nodeName);
  assert.deepEqual([...placed.keys()].sort(), ["node-1", "node-2", "node-3", "node-4", "node-5"]);
  assert.equal(new Set(items.map(({ status }) => status?.podIP)).size, 20);
  for (const name of fleet.names) assert.equal(fleet.node(name)?.pods.list().length, placed.get(name)?.length);
  const recorded = (await client.resource(events).list()).items.filter(({ reason }) => reason === "Started");
  assert.deepEqual(new Set(recorded.map(({ source }) => source?.host)), new Set(fleet.names));
  const lease = await client.resource(leases, "kube-node-lease").get("node-1");
  await cluster.advance({ minutes: 10 });
  const later = await client.resource(leases, "kube-node-lease").get("node-1");
  assert((later.spec?.renewTime ?? "") > (lease.spec?.renewTime ?? ""));
  const { status } = await client.resource(nodes).get("node-1");
  assert.equal(status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
  assert.equal(status?.nodeInfo?.containerRuntimeVersion, "simulated://1.0.0");
});

test("Annotations say what becomes of a Pod's containers, and its probes see it", async () => {
  await using running = await start(1);
  const { client, cluster } = running;
  const create = (name: string, texts: Record<string, string>, spec: Partial<api.coreV1.PodSpec> = {}) =>
    client.resource(pods).create({ metadata: { name, annotations: annotated(texts) }, spec: { containers: [container()], ...spec } });
  const readinessProbe = { httpGet: { path: "/", port: 80 }, periodSeconds: 1 };
  const slow = await create("slow", { "ready-after": "90s" }, { containers: [container({ readinessProbe })] });
  const ready = await cluster.waitFor(pods, "slow", (pod) => isTrue(pod, "Ready"), { timeoutMs });
  const waitedMs = cluster.clock.now() - Date.parse(slow.metadata?.creationTimestamp ?? "");
  assert(waitedMs >= 90_000 && waitedMs < 110_000, `ready after ${waitedMs} ms`);
  assert.equal(ready.status?.containerStatuses?.[0]?.restartCount, 0);
  await create("twice", { "run-for": "1s", "exit-code": "3,3,0" }, { restartPolicy: "OnFailure" });
  const done = await cluster.waitFor(pods, "twice", ({ status }) => status?.phase === "Succeeded", { timeoutMs });
  assert.equal(done.status?.containerStatuses?.[0]?.restartCount, 2);
  await create("hungry", { "run-for": "1s", "exit-reason": "OOMKilled" }, { restartPolicy: "Never" });
  const killed = await cluster.waitFor(pods, "hungry", ({ status }) => status?.phase === "Failed", { timeoutMs });
  const { exitCode, reason } = killed.status?.containerStatuses?.[0]?.state?.terminated ?? {};
  assert.deepEqual({ exitCode, reason }, { exitCode: 137, reason: "OOMKilled" });
  const livenessProbe = { httpGet: { path: "/", port: 80 }, periodSeconds: 5, failureThreshold: 2 };
  await create("ill", { "unhealthy-after": "30s" }, { containers: [container({ livenessProbe })] });
  const isRestarted = ({ status }: Pod) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1;
  await cluster.waitFor(pods, "ill", isRestarted, { timeoutMs });
  await create("unpulled", { "fail-pull": "no such host" }, { containers: [container({ image: "web:2" })] });
  const isWaiting = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "ImagePullBackOff";
  await cluster.waitFor(pods, "unpulled", isWaiting, { timeoutMs });
});

test("A function for an image says what becomes of its containers", async () => {
  await using running = await start(1, { "job:*": ({ pod }) => ({ runMs: 5_000, exitCode: pod.name === "bad" ? 1 : 0 }) });
  const { client, cluster } = running;
  const spec = { restartPolicy: "Never", containers: [container({ image: "job:7" })] };
  for (const name of ["good", "bad"]) await client.resource(pods).create({ metadata: { name }, spec });
  await cluster.waitFor(pods, "good", ({ status }) => status?.phase === "Succeeded", { timeoutMs });
  await cluster.waitFor(pods, "bad", ({ status }) => status?.phase === "Failed", { timeoutMs });
});

test("objects that a Pod of a simulated node refers to must exist", async () => {
  await using running = await start(1);
  const { client, cluster } = running;
  const volumes = [{ name: "config", configMap: { name: "settings" } }];
  const containers = [container({ volumeMounts: [{ name: "config", mountPath: "/config" }] })];
  await client.resource(pods).create({ metadata: { name: "web" }, spec: { containers, volumes } });
  await cluster.advance({ minutes: 1 });
  assert.equal((await client.resource(pods).get("web")).status?.phase, "Pending");
  await client.resource(configMaps).create({ metadata: { name: "settings" } });
  await cluster.waitFor(pods, "web", (pod) => isTrue(pod, "Ready"), { timeoutMs });
});

test("an image is a volume on a simulated node, too", async () => {
  await using running = await start(1);
  const { client, cluster } = running;
  const volumes = [{ name: "data", image: { reference: "data:1" } }];
  const containers = [container({ volumeMounts: [{ name: "data", mountPath: "/data", subPath: "part" }] })];
  await client.resource(pods).create({ metadata: { name: "web" }, spec: { containers, volumes } });
  await cluster.waitFor(pods, "web", (pod) => isTrue(pod, "Ready"), { timeoutMs });
});

test("A fleet that ends leaves no timer", async () => {
  const clock = virtualClock();
  await using cluster = await startCluster({ clock });
  const { random, client } = cluster;
  // The server waits for the end of Events, of which there will be some.
  const involvedObject = { kind: "Pod", namespace: "default", name: "web" };
  await client.resource(events).create({ metadata: { name: "first", namespace: "default" }, involvedObject });
  const before = clock.waiting;
  const fleet = createFleet({ nodes: 3, simulation: new Simulation({ clock, random }) });
  const running = startControllers([fleet], { client });
  await fleet.ready;
  await client.resource(pods).create({ metadata: { name: "web" }, spec: { nodeName: "node-2", containers: [container()] } });
  await clock.advance({ seconds: 5 });
  assert.equal((await client.resource(pods).get("web")).status?.phase, "Running");
  assert(clock.waiting > before);
  await running[Symbol.asyncDispose]();
  assert.equal(clock.waiting, before);
});
