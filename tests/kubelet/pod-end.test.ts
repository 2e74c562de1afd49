import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "@coxswain/client";
import { createSimulatedRuntime } from "@coxswain/kubelet";
import { hangMs } from "@coxswain/machinery/testing";
import { startCluster, virtualClock } from "coxswain/testing";
import { createPod, isReady, type NodeUnderTest, type Pod, script, startKubelet, startNode, statusOf } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const image = "registry.example/app:1";
const find = ({ cluster }: NodeUnderTest, until: (pod: Pod) => boolean) => cluster.waitFor(pods, "web", until, { timeoutMs });

async function secondsToEnd(node: NodeUnderTest, graceSeconds?: number): Promise<number> {
  const { cluster } = node;
  const began = cluster.clock.now();
  await cluster.client.resource(pods).delete("web", graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds });
  await cluster.waitFor(pods, "web", "delete", { timeoutMs });
  return Math.round((cluster.clock.now() - began) / 1000);
}

const endings: readonly { name: string; stop?: string; preStop?: number; grace?: number; asked?: number; expect: number }[] = [
  { name: "that ends when asked is gone at once", expect: 0 },
  { name: "that takes its time has it", stop: "20s", expect: 20 },
  { name: "that does not end is killed after the grace period", stop: "never", expect: 30 },
  { name: "has the grace period that the Pod says", stop: "never", grace: 7, expect: 7 },
  { name: "has the grace period of the delete request", stop: "never", asked: 12, expect: 12 },
  { name: "runs its hook first", preStop: 10, expect: 10 },
  { name: "shares its grace period with its hook", preStop: 20, stop: "never", expect: 30 },
  { name: "whose hook takes all of it has a little more", preStop: 20, stop: "never", asked: 10, expect: 12 },
];
for (const { name, stop = "0s", preStop, grace = 30, asked, expect } of endings)
  test(`a container ${name}`, async () => {
    await using node = await startNode();
    const lifecycle = preStop === undefined ? {} : { lifecycle: { preStop: { sleep: { seconds: preStop } } } };
    const containers = [{ name: "main", image, ...lifecycle }];
    await node.create({ containers, terminationGracePeriodSeconds: grace }, script({ "stop-after": stop }));
    await find(node, isReady);
    assert.equal(await secondsToEnd(node, asked), expect);
    assert.deepEqual(node.warnings, []);
  });

test("a grace period can be made shorter while it runs", async () => {
  await using node = await startNode();
  await node.create({ terminationGracePeriodSeconds: 600 }, script({ "stop-after": "never" }));
  await find(node, isReady);
  const began = node.cluster.clock.now();
  await node.cluster.client.resource(pods).delete("web");
  await node.cluster.waitFor(pods, "web", ({ metadata }) => metadata?.deletionTimestamp !== undefined, { timeoutMs });
  await secondsToEnd(node, 5);
  const seconds = (node.cluster.clock.now() - began) / 1000;
  assert.ok(seconds < 10, `${seconds}`);
});

test("a grace period can be shortened for a Pod that ends for another reason", async () => {
  await using node = await startNode();
  const slow = script({ "stop-after": "never" });
  await node.create({ terminationGracePeriodSeconds: 600, activeDeadlineSeconds: 60 }, slow);
  await find(node, isReady);
  await node.cluster.advance({ seconds: 70 });
  const began = node.cluster.clock.now();
  await secondsToEnd(node, 5);
  assert.ok((node.cluster.clock.now() - began) / 1000 < 10);
});

test("many init containers that end at once do not look like a runtime that lies", async () => {
  await using node = await startNode();
  const initContainers = Array.from({ length: 20 }, (_, i) => ({ name: `i${i}`, image }));
  await node.create({ initContainers }, script(Object.fromEntries(initContainers.map(({ name }) => [`${name}.run-for`, "0s"]))));
  const began = node.cluster.clock.now();
  await find(node, isReady);
  assert.equal(node.cluster.clock.now(), began);
  assert.deepEqual(node.warnings, []);
});

test("sidecars end after the main containers, in reverse order", async () => {
  await using node = await startNode();
  const sidecar = (name: string) => ({ name, image, restartPolicy: "Always" });
  const stops = script({ "main.stop-after": "10s", "b.stop-after": "4s", "a.stop-after": "2s" });
  await node.create({ initContainers: [sidecar("a"), sidecar("b")] }, { ...stops, finalizers: ["example.com/look"] });
  await find(node, isReady);
  await node.cluster.client.resource(pods).delete("web");
  const pod = await find(node, ({ status }) => status?.phase === "Succeeded" || status?.phase === "Failed");
  const finished = (name: string) => Date.parse(statusOf(pod, name)?.state?.terminated?.finishedAt ?? "");
  assert.equal(finished("b") - finished("main"), 4000);
  assert.equal(finished("a") - finished("b"), 2000);
  assert.equal(pod.status?.phase, "Succeeded");
});

test("a Pod deleted while it starts ends as Failed", async () => {
  await using node = await startNode();
  await node.create({}, { ...script({ "pull-for": "1h" }), finalizers: ["example.com/look"] });
  await find(node, ({ status }) => status?.conditions?.[0]?.status === "True");
  await node.cluster.client.resource(pods).delete("web");
  const pod = await find(node, ({ status }) => status?.phase === "Failed");
  assert.equal(statusOf(pod)?.state?.terminated?.reason, "ContainerStatusUnknown");
  assert.equal(statusOf(pod)?.state?.terminated?.exitCode, 137);
});

test("what is deleted by force has a moment to end, and another of its name waits for it", async () => {
  await using node = await startNode();
  const { cluster, runtime } = node;
  await node.create({}, script({ "stop-after": "20s" }));
  const { metadata: first } = await find(node, isReady);
  const resource = cluster.client.resource(pods);
  await resource.delete("web", { gracePeriodSeconds: 0 });
  const began = cluster.clock.now();
  const { metadata: second } = await node.create({});
  await find(node, (pod) => isReady(pod) && pod.metadata?.uid === second?.uid);
  assert.equal((cluster.clock.now() - began) / 1000, 2);
  const left = await runtime.listPodSandboxes(AbortSignal.timeout(hangMs));
  assert.ok(left.every(({ pod }) => pod.uid !== first?.uid));
});

test("a restarted kubelet leaves running containers alone, ends unwanted ones, and continues the others", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { clock, random } = cluster;
  await using runtime = createSimulatedRuntime({ clock, random });
  const client = cluster.clientFor({ name: "system:node:one" });
  const all = cluster.client.resource(pods);
  const wait = (name: string, until: (pod: Pod) => boolean) => cluster.waitFor(pods, name, until, { timeoutMs });
  {
    await using _ = startKubelet({ client, runtime });
    for (const name of ["stays", "goes", "ends"])
      await createPod(client, {}, { name, ...script({ "run-for": name === "ends" ? "60s" : "never" }) });
    for (const name of ["stays", "goes", "ends"]) await wait(name, isReady);
  }
  const before = await all.get("stays");
  await all.delete("goes", { gracePeriodSeconds: 0 });
  await createPod(client, {}, { name: "new" });
  await cluster.advance({ minutes: 2 });
  await using kubelet = startKubelet({ client, runtime });
  await wait("new", isReady);
  const ended = await wait("ends", (pod) => statusOf(pod)?.restartCount === 1);
  assert.equal(statusOf(ended)?.lastState?.terminated?.exitCode, 0);
  const after = await all.get("stays");
  assert.equal(after.metadata?.resourceVersion, before.metadata?.resourceVersion);
  await cluster.advance({ minutes: 1 });
  const names = (await runtime.listPodSandboxes(AbortSignal.timeout(hangMs))).map(({ pod }) => pod.name);
  assert.deepEqual(names.toSorted(), ["ends", "new", "stays"]);
  assert.deepEqual(kubelet.warnings, []);
});
