/** Images as volumes, on a node whose containers are simulated: when they are pulled, and what is said where they cannot be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, pods } from "@coxswain/client";
import { type PodRuntime, RuntimeError } from "@coxswain/kubelet";
import { isReady, type NodeUnderTest, type Pod, script, startNode, statusOf } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const data = "registry.example/data:1";
const find = ({ cluster }: NodeUnderTest, until: (pod: Pod) => boolean) => cluster.waitFor(pods, "web", until, { timeoutMs });

const container = (name: string, ...mounted: string[]): api.coreV1.Container => ({
  name,
  image: "registry.example/app:1",
  volumeMounts: mounted.map((volume) => ({ name: volume, mountPath: `/${volume}` })),
});
const volume = (name: string, reference: string, pullPolicy?: string): api.coreV1.Volume => ({
  name,
  image: { reference, ...(pullPolicy === undefined ? {} : { pullPolicy }) },
});

/** Images that cannot be pulled, as long as they are in the set; and all that were asked for. */
function registry(...absent: string[]) {
  const missing = new Set(absent);
  const pulls: string[] = [];
  const before = (verb: keyof PodRuntime, about: string): void => {
    if (verb !== "pullImage") return;
    pulls.push(about);
    if (missing.has(about)) throw new RuntimeError("unknown", `${about}: not found`);
  };
  return { missing, pulls, before };
}

test("an image volume is pulled by its own policy before the image of the container", async () => {
  const { pulls, before } = registry();
  await using node = await startNode({ before });
  await node.create({ containers: [container("main", "data")], volumes: [volume("data", data)] });
  const pod = await find(node, isReady);
  assert.equal(pod.spec?.volumes?.[0]?.image?.pullPolicy, "IfNotPresent");
  assert.deepEqual(pulls, [data, "registry.example/app:1"]);
  assert.deepEqual(statusOf(pod)?.volumeMounts, [{ name: "data", mountPath: "/data" }]);
  const events = await node.recorded();
  assert.equal(events[0], `Normal Pulling: Pulling image "${data}"`);
});

test("a container whose image volume cannot be pulled waits as for its own image, until it can be", async () => {
  const { missing, before } = registry(data);
  await using node = await startNode({ before });
  await node.create({ containers: [container("main", "data")], volumes: [volume("data", data)] });
  const early = await find(node, (pod) => statusOf(pod)?.state?.waiting?.reason === "ErrImagePull");
  assert.equal(statusOf(early)?.state?.waiting?.message, `${data}: not found`);
  assert.equal(early.status?.phase, "Pending");
  const late = await find(node, (pod) => statusOf(pod)?.state?.waiting?.reason === "ImagePullBackOff");
  assert.equal(statusOf(late)?.state?.waiting?.message, `Back-off pulling image "${data}": ErrImagePull: ${data}: not found`);
  missing.clear();
  const pod = await find(node, isReady);
  assert.equal(statusOf(pod)?.restartCount, 0);
  const events = (await node.recorded()).map((text) => text.replace(/ \(\d+\)$/, ""));
  for (const text of [
    `Warning Failed: Failed to pull image "${data}": ${data}: not found`,
    "Warning Failed: Error: ErrImagePull",
    `Normal BackOff: Back-off pulling image "${data}"`,
    "Warning Failed: Error: ImagePullBackOff",
  ])
    assert.ok(events.includes(text), `${text} is not among\n${events.join("\n")}`);
});

test("containers that do not mount the image run without it", async () => {
  const { pulls, before } = registry(data);
  await using node = await startNode({ before });
  await node.create({ containers: [container("main"), container("other", "data")], volumes: [volume("data", data)] });
  const pod = await find(
    node,
    (one) => statusOf(one)?.state?.running !== undefined && statusOf(one, "other")?.state?.waiting?.reason === "ErrImagePull",
  );
  assert.equal(pod.status?.phase, "Pending");
  assert.ok(pulls.includes(data));
});

test("a volume that no container mounts is pulled, and does not matter", async () => {
  const { pulls, before } = registry(data);
  await using node = await startNode({ before });
  await node.create({ containers: [container("main")], volumes: [volume("data", data)] });
  await find(node, isReady);
  assert.deepEqual(pulls, [data, "registry.example/app:1"]);
});

test("the policy Never takes what is here, and says what is not", async () => {
  await using node = await startNode();
  await node.create({ containers: [container("main", "data")], volumes: [volume("data", data, "Never")] });
  const pod = await find(node, (one) => statusOf(one)?.state?.waiting?.reason === "ErrImageNeverPull");
  assert.equal(statusOf(pod)?.state?.waiting?.message, `Container image "${data}" is not present with pull policy of Never`);
});

test("an image is looked for again when a container starts again, and not while all run", async () => {
  const { pulls, before } = registry();
  await using node = await startNode({ before });
  await node.create(
    { containers: [container("main", "data")], volumes: [volume("data", data, "Always")] },
    script({ "run-for": "1000s,never", "exit-code": "1" }),
  );
  await find(node, isReady);
  await node.cluster.advance({ seconds: 900 });
  assert.equal(pulls.filter((image) => image === data).length, 1);
  await find(node, (pod) => isReady(pod) && statusOf(pod)?.restartCount === 1);
  assert.equal(pulls.filter((image) => image === data).length, 2);
});
