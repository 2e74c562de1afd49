import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, pods } from "@coxswain/client";
import { hangMs } from "@coxswain/machinery/testing";
import { isReady, type NodeUnderTest, type Pod, script, startNode, statusOf } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const image = "registry.example/app:1";
const phaseIs = (phase: string) => (pod: Pod) => pod.status?.phase === phase;
const find = ({ cluster }: NodeUnderTest, until: (pod: Pod) => boolean) => cluster.waitFor(pods, "web", until, { timeoutMs });
const conditionsOf = ({ status }: Pod) =>
  status?.conditions?.map(({ type, status: now, reason }) => `${type}=${now}${reason === undefined ? "" : ` ${reason}`}`);

test("a Pod runs, has Kubernetes' status and events, and ends", async () => {
  await using node = await startNode();
  const { cluster } = node;
  const { metadata } = await node.create({});
  const pod = await find(node, isReady);
  assert.deepEqual(conditionsOf(pod), [
    "PodReadyToStartContainers=True",
    "Initialized=True",
    "Ready=True",
    "ContainersReady=True",
    "PodScheduled=True",
  ]);
  const { conditions: _, containerStatuses, startTime, ...rest } = pod.status ?? {};
  assert.deepEqual(rest, {
    observedGeneration: 1,
    phase: "Running",
    hostIP: "10.0.0.7",
    hostIPs: [{ ip: "10.0.0.7" }],
    podIP: "10.244.0.2",
    podIPs: [{ ip: "10.244.0.2" }],
    qosClass: "BestEffort",
    resources: {},
  });
  const [main] = containerStatuses ?? [];
  assert.match(main?.containerID ?? "", /^simulated:\/\/[0-9a-f]{64}$/);
  assert.deepEqual(
    { ...main, containerID: "", imageID: "" },
    {
      name: "main",
      image,
      imageID: "",
      containerID: "",
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: startTime } },
      lastState: {},
      resources: {},
    },
  );
  await cluster.client.resource(pods).delete("web");
  await cluster.waitFor(pods, "web", "delete", { timeoutMs });
  assert.deepEqual(await node.recorded(), [
    `Normal Pulling: Pulling image "${image}"`,
    `Normal Pulled: Successfully pulled image "${image}" in 0s (0s including waiting). Image size: 10485760 bytes.`,
    "Normal Created: Container created",
    "Normal Started: Container started",
    "Normal Killing: Stopping container main",
  ]);
  assert.deepEqual(await node.runtime.listPodSandboxes(AbortSignal.timeout(hangMs), metadata?.uid), []);
  assert.deepEqual(node.warnings, []);
});

test("what keeps failing waits longer each time, and says so", async () => {
  await using node = await startNode();
  await node.create({}, script({ "run-for": "1s", "exit-code": "3" }));
  const waits = (delay: string) => (pod: Pod) => statusOf(pod)?.state?.waiting?.message?.startsWith(`back-off ${delay} `) === true;
  const first = await find(node, waits("10s"));
  const uid = first.metadata?.uid;
  assert.equal(statusOf(first)?.state?.waiting?.reason, "CrashLoopBackOff");
  assert.equal(statusOf(first)?.state?.waiting?.message, `back-off 10s restarting failed container=main pod=web_default(${uid})`);
  assert.equal(statusOf(first)?.lastState?.terminated?.exitCode, 3);
  assert.equal(first.status?.phase, "Running");
  assert.deepEqual(conditionsOf(first)?.slice(1, 4), [
    "Initialized=True",
    "Ready=False ContainersNotReady",
    "ContainersReady=False ContainersNotReady",
  ]);
  const began = node.cluster.clock.now();
  for (const delay of ["20s", "40s", "1m20s", "2m40s", "5m0s"]) await find(node, waits(delay));
  const seconds = (node.cluster.clock.now() - began) / 1000;
  assert.ok(seconds > 10 + 20 + 40 + 80 + 160 && seconds < 400, `${seconds}`);
  assert.ok(
    (await node.recorded()).some((text) =>
      text.startsWith(`Warning BackOff: Back-off restarting failed container main in pod web_default(${uid})`),
    ),
  );
});

const outcomes: readonly { policy: string; codes: string; phase: string; restarts: number }[] = [
  { policy: "Never", codes: "0", phase: "Succeeded", restarts: 0 },
  { policy: "Never", codes: "1", phase: "Failed", restarts: 0 },
  { policy: "OnFailure", codes: "0", phase: "Succeeded", restarts: 0 },
  { policy: "OnFailure", codes: "1,0", phase: "Succeeded", restarts: 1 },
];
for (const { policy, codes, phase, restarts } of outcomes)
  test(`with restartPolicy ${policy} a container that ends with ${codes} makes its Pod ${phase}`, async () => {
    await using node = await startNode();
    await node.create({ restartPolicy: policy }, script({ "run-for": "1s", "exit-code": codes }));
    const pod = await find(node, phaseIs(phase));
    assert.equal(statusOf(pod)?.restartCount, restarts);
    const reason = phase === "Failed" ? "PodFailed" : "PodCompleted";
    assert.deepEqual(conditionsOf(pod), [
      "PodReadyToStartContainers=False",
      phase === "Failed" ? "Initialized=True" : "Initialized=True PodCompleted",
      `Ready=False ${reason}`,
      `ContainersReady=False ${reason}`,
      "PodScheduled=True",
    ]);
    assert.deepEqual(node.warnings, []);
  });

const inits: readonly api.coreV1.Container[] = [
  { name: "first", image },
  { name: "proxy", image, restartPolicy: "Always" },
  { name: "second", image },
];

test("init containers run one after the other, sidecars beside them and till the end", async () => {
  await using node = await startNode();
  const { cluster } = node;
  await node.create({ initContainers: [...inits] }, script({ "first.run-for": "5s", "second.run-for": "5s" }));
  const early = await find(node, (pod) => statusOf(pod, "first")?.state?.running !== undefined);
  assert.equal(early.status?.phase, "Pending");
  assert.equal(statusOf(early)?.state?.waiting?.reason, "PodInitializing");
  assert.match(
    early.status?.conditions?.find(({ type }) => type === "Initialized")?.message ?? "",
    /^containers with incomplete status: \[first proxy second\]$/,
  );
  const pod = await find(node, isReady);
  assert.deepEqual(
    pod.status?.initContainerStatuses?.map(({ name, state, ready, started }) => [name, Object.keys(state ?? {})[0], ready, started]),
    [
      ["first", "terminated", true, false],
      ["proxy", "running", true, true],
      ["second", "terminated", true, false],
    ],
  );
  await cluster.client.resource(pods).delete("web");
  await cluster.waitFor(pods, "web", "delete", { timeoutMs });
  const kills = (await node.recorded()).filter((text) => text.includes("Killing"));
  assert.deepEqual(kills.toSorted(), ["Normal Killing: Stopping container main", "Normal Killing: Stopping container proxy"]);
  assert.deepEqual(node.warnings, []);
});

test("a sidecar does not keep a Pod alive that has done its work", async () => {
  await using node = await startNode();
  await node.create({ restartPolicy: "Never", initContainers: [inits[1]!] }, script({ "main.run-for": "5s" }));
  const pod = await find(node, phaseIs("Succeeded"));
  assert.equal(statusOf(pod, "proxy")?.state?.terminated?.exitCode, 0);
});

test("an init container that fails for good fails its Pod, and nothing else is started", async () => {
  await using node = await startNode();
  await node.create({ restartPolicy: "Never", initContainers: [inits[0]!] }, script({ "first.run-for": "1s", "first.exit-code": "2" }));
  const pod = await find(node, phaseIs("Failed"));
  assert.equal(statusOf(pod)?.state?.waiting?.reason, "PodInitializing");
  assert.equal((await node.recorded()).filter((text) => text.includes("Started")).length, 1);
});

test("an image that cannot be had is waited for, with other containers running", async () => {
  await using node = await startNode();
  const containers = [
    { name: "main", image },
    { name: "other", image: "registry.example/missing:1" },
  ];
  await node.create({ containers }, script({ "fail-pull": "2" }));
  const pod = await find(node, isReady);
  assert.equal(pod.status?.phase, "Running");
  const recorded = await node.recorded();
  assert.ok(
    recorded.some((text) => text.startsWith("Warning Failed: Error: ErrImagePull")),
    recorded.join("\n"),
  );
});

test("a Pod may be active for so long only", async () => {
  await using node = await startNode();
  await node.create({ activeDeadlineSeconds: 60 });
  const { status } = await find(node, phaseIs("Failed"));
  assert.equal(status?.reason, "DeadlineExceeded");
  assert.equal(status?.message, "Pod was active on the node longer than the specified deadline");
  assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 0);
});
