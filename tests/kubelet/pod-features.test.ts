import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, pods } from "@coxswain/client";
import { SyncError } from "@coxswain/kubelet";
import { hangMs } from "@coxswain/machinery/testing";
import { isReady, type NodeUnderTest, type Pod, script, startNode, statusOf } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const image = "registry.example/app:1";
const find = ({ cluster }: NodeUnderTest, until: (pod: Pod) => boolean) => cluster.waitFor(pods, "web", until, { timeoutMs });
const container = (more: Partial<api.coreV1.Container>): { containers: api.coreV1.Container[] } => ({
  containers: [{ name: "main", image, ...more }],
});
const http = { httpGet: { path: "/", port: 80 } };

test("a container is ready when its probe says so, and is started again when it is unwell", async () => {
  await using node = await startNode();
  const probe = { ...http, periodSeconds: 1 };
  await node.create(
    container({ readinessProbe: probe, livenessProbe: { ...probe, initialDelaySeconds: 60 } }),
    script({ "ready-after": "20s", "unhealthy-after": "200s" }),
  );
  const running = await find(node, (pod) => statusOf(pod)?.state?.running !== undefined);
  assert.deepEqual([statusOf(running)?.started, statusOf(running)?.ready, running.status?.phase], [true, false, "Running"]);
  const began = Date.parse(statusOf(running)?.state?.running?.startedAt ?? "");
  await find(node, isReady);
  assert.ok(node.cluster.clock.now() - began >= 20_000 && node.cluster.clock.now() - began < 25_000);
  const again = await find(node, (pod) => statusOf(pod)?.restartCount === 1);
  assert.equal(statusOf(again)?.ready, false);
  const recorded = await node.recorded();
  assert.ok(
    recorded.some((text) => text.startsWith("Normal Killing: Container main failed liveness probe, will be restarted")),
    recorded.join("\n"),
  );
});

test("a container that is slow to start is given the time that its startup probe has", async () => {
  await using node = await startNode();
  const startupProbe = { ...http, periodSeconds: 10, failureThreshold: 30 };
  const livenessProbe = { ...http, periodSeconds: 1, failureThreshold: 1 };
  await node.create(container({ startupProbe, livenessProbe }), script({ "ready-after": "100s" }));
  const early = await find(node, (pod) => statusOf(pod)?.state?.running !== undefined);
  assert.equal(statusOf(early)?.started, false);
  const pod = await find(node, isReady);
  assert.equal(statusOf(pod)?.restartCount, 0);
  assert.equal(statusOf(pod)?.started, true);
});

test("a debugger joins a Pod that runs", async () => {
  await using node = await startNode();
  await node.create({});
  const pod = await find(node, isReady);
  const debug = { name: "debug", image, targetContainerName: "main" };
  await node.cluster.client
    .resource(pods)
    .subresource("web", "ephemeralcontainers")
    .update({ ...pod, spec: { ...pod.spec, ephemeralContainers: [debug] } } as Pod);
  const after = await find(node, (one) => statusOf(one, "debug")?.state?.running !== undefined);
  assert.equal(statusOf(after)?.restartCount, 0);
});

test("another image takes the place of the one that runs", async () => {
  await using node = await startNode();
  await node.create({});
  await find(node, isReady);
  const patch = { spec: { containers: [{ name: "main", image: "registry.example/app:2" }] } };
  await node.cluster.client.resource(pods).patch("web", { type: "strategic", patch });
  const pod = await find(node, (one) => isReady(one) && statusOf(one)?.image === "registry.example/app:2");
  assert.equal(statusOf(pod)?.restartCount, 1);
  assert.ok((await node.recorded()).includes("Normal Killing: Container main definition changed, will be restarted"));
});

test("a container whose postStart hook fails is killed, and waits", async () => {
  const hooks = {
    run: async () => {
      throw new SyncError("PostStartHookError", "the hook says no");
    },
  };
  await using node = await startNode({ dependencies: { hooks } });
  await node.create(container({ lifecycle: { postStart: { sleep: { seconds: 1 } } } }));
  const pod = await find(node, (one) => statusOf(one)?.state?.waiting?.reason === "PostStartHookError");
  assert.equal(statusOf(pod)?.state?.waiting?.message, "the hook says no");
  const recorded = await node.recorded();
  assert.ok(
    recorded.some((text) => text.startsWith("Warning FailedPostStartHook: PostStartHook failed")),
    recorded.join("\n"),
  );
  assert.ok(
    recorded.some((text) => text.startsWith("Normal Killing: FailedPostStartHook")),
    recorded.join("\n"),
  );
  await find(node, (one) => statusOf(one)?.state?.waiting?.reason === "CrashLoopBackOff");
});

test("all containers of a Pod restart when one of them requires it", async () => {
  await using node = await startNode();
  const restart = { action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } };
  const containers = [
    { name: "main", image, restartPolicy: "Never", restartPolicyRules: [restart] },
    { name: "other", image },
  ];
  await node.create(
    { restartPolicy: "Never", initContainers: [{ name: "first", image }], containers },
    script({ "first.run-for": "1s", "main.run-for": "10s,never", "main.exit-code": "42" }),
  );
  const before = await find(node, isReady);
  const [sandbox] = await node.runtime.listPodSandboxes(AbortSignal.timeout(hangMs));
  const after = await find(node, (pod) => isReady(pod) && statusOf(pod)?.containerID !== statusOf(before)?.containerID);
  assert.deepEqual([statusOf(after)?.restartCount, statusOf(after, "other")?.restartCount], [1, 1]);
  const [same] = await node.runtime.listPodSandboxes(AbortSignal.timeout(hangMs));
  assert.equal(same?.id, sandbox?.id);
});

test("what a volume needs is waited for, longer each time", async () => {
  let isThere = false;
  let calls = 0;
  const volumes = {
    mount: async () => {
      calls++;
      if (!isThere) throw new SyncError("FailedMount", 'MountVolume.SetUp failed for volume "v" : configmap "c" not found');
      return new Map();
    },
    unmount: async () => undefined,
    present: async () => [],
  };
  await using node = await startNode({ dependencies: { volumes } });
  await node.create({});
  await node.cluster.advance({ minutes: 10 });
  assert.ok(calls >= 8 && calls <= 16, `${calls} calls`);
  const { status } = await node.cluster.client.resource(pods).get("web");
  assert.equal(status?.containerStatuses?.[0]?.state?.waiting?.reason, "ContainerCreating");
  assert.ok(
    (await node.recorded()).some((text) =>
      text.startsWith('Warning FailedMount: MountVolume.SetUp failed for volume "v" : configmap "c" not found'),
    ),
  );
  isThere = true;
  await find(node, isReady);
});

test("what others say of a Pod stays, and what they overwrite is said again", async () => {
  await using node = await startNode();
  await node.create({ readinessGates: [{ conditionType: "example.com/lb" }] });
  await find(node, ({ status }) => status?.phase === "Running");
  const all = node.cluster.client.resource(pods);
  const say = (condition: object) =>
    all.patch("web", { type: "strategic", patch: { status: { conditions: [condition] } } }, { subresource: "status" });
  await say({ type: "example.com/lb", status: "True" });
  const pod = await find(node, isReady);
  assert.ok(pod.status?.conditions?.some(({ type }) => type === "example.com/lb"));
  await say({ type: "ContainersReady", status: "False", reason: "Meddling" });
  await find(
    node,
    ({ status }) => status?.conditions?.some(({ type, status: now }) => type === "ContainersReady" && now === "True") === true,
  );
});
