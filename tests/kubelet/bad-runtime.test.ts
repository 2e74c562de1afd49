import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "@coxswain/client";
import { createSimulatedRuntime, type PodRuntime, RuntimeError } from "@coxswain/kubelet";
import { hangMs } from "@coxswain/machinery/testing";
import { startCluster, virtualClock } from "coxswain/testing";
import { createPod, isReady, type Pod, script, startKubelet, startNode, statusOf } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const image = "registry.example/app:1";

/** Each call of these verbs, and how often. */
function counting() {
  const counts = new Map<string, number>();
  return { counts, count: (verb: string) => counts.set(verb, (counts.get(verb) ?? 0) + 1), of: (verb: string) => counts.get(verb) ?? 0 };
}

test("a runtime that hangs with one Pod does not keep others from running", async () => {
  const calls = counting();
  await using node = await startNode({
    before: (verb, about) => {
      if (verb !== "runPodSandbox" || about !== "stuck") return;
      calls.count(String(verb));
      return new Promise(() => undefined);
    },
  });
  const { cluster } = node;
  await node.create({}, { name: "stuck" });
  await node.create({}, { name: "web" });
  await cluster.waitFor(pods, "web", isReady, { timeoutMs });
  await cluster.advance({ minutes: 20 });
  assert.ok(calls.of("runPodSandbox") > 2 && calls.of("runPodSandbox") < 6, `${calls.of("runPodSandbox")} calls`);
  const recorded = await node.recorded();
  assert.ok(
    recorded.some((text) => text.startsWith("Warning FailedCreatePodSandBox: Failed to create pod sandbox: context deadline exceeded")),
    recorded.join("\n"),
  );
  await cluster.client.resource(pods).delete("stuck");
  await cluster.waitFor(pods, "stuck", "delete", { timeoutMs });
});

test("a failed sandbox creation is retried with backoff and recorded", async () => {
  let isDown = true;
  const calls = counting();
  await using node = await startNode({
    before: (verb) => {
      if (verb !== "runPodSandbox" || !isDown) return;
      calls.count(String(verb));
      throw new RuntimeError("unknown", "no network for you");
    },
  });
  const { cluster } = node;
  await node.create({});
  await cluster.advance({ minutes: 5 });
  assert.ok(calls.of("runPodSandbox") > 10 && calls.of("runPodSandbox") <= 31, `${calls.of("runPodSandbox")} calls`);
  const { status } = await cluster.client.resource(pods).get("web");
  assert.equal(status?.phase, "Pending");
  assert.equal(status?.containerStatuses?.[0]?.state?.waiting?.reason, "ContainerCreating");
  assert.equal(status?.conditions?.[0]?.status, "False");
  isDown = false;
  await cluster.waitFor(pods, "web", isReady, { timeoutMs });
  assert.ok(
    (await node.recorded()).some((text) =>
      text.startsWith("Warning FailedCreatePodSandBox: Failed to create pod sandbox: no network for you ("),
    ),
  );
});

const refusals: readonly { verb: keyof PodRuntime; reason: string; most: number }[] = [
  { verb: "createContainer", reason: "CreateContainerError", most: 35 },
  { verb: "startContainer", reason: "RunContainerError", most: 35 },
];
for (const { verb, reason, most } of refusals)
  test(`a container for which ${String(verb)} fails waits with ${reason}`, async () => {
    const calls = counting();
    await using node = await startNode({
      before: (called) => {
        if (called !== verb) return;
        calls.count(String(verb));
        throw new RuntimeError("unknown", "I will not");
      },
    });
    const { cluster } = node;
    await node.create({});
    const pod = await cluster.waitFor(pods, "web", (one) => statusOf(one)?.state?.waiting?.reason === reason, { timeoutMs });
    assert.equal(statusOf(pod)?.state?.waiting?.message, "I will not");
    assert.equal(pod.status?.phase, "Pending");
    await cluster.advance({ minutes: 5 });
    assert.ok(calls.of(String(verb)) > 3 && calls.of(String(verb)) <= most, `${calls.of(String(verb))} calls`);
    assert.ok((await node.recorded()).some((text) => text.startsWith("Warning Failed: Error: I will not")));
  });

test("a runtime that loses what it has started is not asked to start it again and again", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { clock, random } = cluster;
  const calls = counting();
  await using simulated = createSimulatedRuntime({ clock, random, before: (verb) => void calls.count(String(verb)) });
  const runtime = { ...simulated, listContainers: async () => [] };
  await using _ = startKubelet({ client: cluster.client, runtime });
  await createPod(cluster.client, {});
  await cluster.advance({ minutes: 5 });
  assert.equal(calls.of("startContainer"), 1);
  assert.ok(calls.of("createContainer") <= 35, `${calls.of("createContainer")} calls`);
});

test("a change without an event of the runtime is found within a minute", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { clock, random } = cluster;
  await using simulated = createSimulatedRuntime({ clock, random });
  const runtime = {
    ...simulated,
    async *events(signal: AbortSignal): AsyncGenerator<never> {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  await using _ = startKubelet({ client: cluster.client, runtime });
  await createPod(cluster.client, {}, script({ "run-for": "5m", "exit-code": "3" }));
  const restarted = (pod: Pod) => statusOf(pod)?.restartCount === 1;
  await cluster.waitFor(pods, "web", isReady, { timeoutMs: 120_000 });
  await cluster.waitFor(pods, "web", restarted, { timeoutMs: 380_000 });
});

test("a runtime that is away for a while finds its Pods looked after when it is back", async () => {
  let isDown = false;
  const calls = counting();
  await using node = await startNode({
    before: (verb) => {
      if (!isDown) return;
      calls.count(String(verb));
      throw new RuntimeError("unavailable", "connection refused");
    },
  });
  const { cluster } = node;
  await node.create({}, script({ "run-for": "100s" }));
  await cluster.waitFor(pods, "web", isReady, { timeoutMs });
  isDown = true;
  await cluster.advance({ minutes: 5 });
  const { status } = await cluster.client.resource(pods).get("web");
  assert.equal(status?.phase, "Running");
  await cluster.client.resource(pods).create({
    metadata: { name: "late", namespace: "default" },
    spec: { nodeName: "one", containers: [{ name: "main", image }] },
  });
  await cluster.advance({ minutes: 5 });
  assert.ok([...calls.counts.values()].reduce((sum, count) => sum + count) < 400, JSON.stringify([...calls.counts]));
  isDown = false;
  await cluster.waitFor(pods, "late", isReady, { timeoutMs });
  await cluster.waitFor(pods, "web", (pod: Pod) => isReady(pod) && (statusOf(pod)?.restartCount ?? 0) > 0, { timeoutMs });
  assert.ok((await node.recorded()).some((text) => text.startsWith("Warning FailedSync: error determining status: connection refused")));
});

test("a container that disappears from the runtime has ended with an unknown exit code", async () => {
  await using node = await startNode();
  const { cluster, runtime } = node;
  const { metadata } = await node.create({});
  await cluster.waitFor(pods, "web", isReady, { timeoutMs });
  const signal = AbortSignal.timeout(hangMs);
  const [container] = await runtime.listContainers(signal, metadata?.uid);
  await runtime.stopContainer(container?.id ?? "", 0, signal);
  await runtime.removeContainer(container?.id ?? "", signal);
  const pod = await cluster.waitFor(pods, "web", (one) => isReady(one) && statusOf(one)?.containerID !== `simulated://${container?.id}`, {
    timeoutMs,
  });
  assert.equal(statusOf(pod)?.restartCount, 1);
});

test("a dead sandbox is created again with all its containers", async () => {
  await using node = await startNode();
  const { cluster, runtime } = node;
  const { metadata } = await node.create({ initContainers: [{ name: "first", image }] }, script({ "first.run-for": "1s" }));
  await cluster.waitFor(pods, "web", isReady, { timeoutMs });
  const signal = AbortSignal.timeout(hangMs);
  const [sandbox] = await runtime.listPodSandboxes(signal, metadata?.uid);
  await runtime.stopPodSandbox(sandbox?.id ?? "", signal);
  const pod = await cluster.waitFor(pods, "web", (one) => isReady(one) && statusOf(one)?.restartCount === 1, { timeoutMs });
  assert.equal(statusOf(pod, "first")?.restartCount, 1);
  assert.equal(statusOf(pod)?.lastState?.terminated?.exitCode, 137);
  assert.ok((await node.recorded()).includes("Normal SandboxChanged: Pod sandbox changed, it will be killed and re-created."));
  const [newest, ...older] = await runtime.listPodSandboxes(signal, metadata?.uid);
  assert.equal(older.length + (newest === undefined ? 0 : 1), 2);
});
