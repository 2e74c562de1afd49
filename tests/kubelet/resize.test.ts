import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, nodes, pods } from "@coxswain/client";
import { isReady, type NodeUnderTest, nodeName, type Pod, startNode, statusOf } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const image = "registry.example/app:1";
const node = {
  metadata: { name: nodeName, uid: "node-uid" },
  status: { capacity: { memory: "8Gi" }, allocatable: { cpu: "4", memory: "8Gi", pods: "10" } },
};

/** The API server asks the Node what it has before a Pod on it may grow. */
async function startStoredNode(): Promise<NodeUnderTest> {
  const under = await startNode({ node: () => node });
  await under.cluster.client.resource(nodes).create({ metadata: { name: nodeName }, status: node.status });
  return under;
}

const wait = ({ cluster }: NodeUnderTest, until: (pod: Pod) => boolean) => cluster.waitFor(pods, "web", until, { timeoutMs });
const conditionOf = ({ status }: Pod, type: string) => status?.conditions?.find((one) => one.type === type);

const container = (cpu: string, policy: api.coreV1.ContainerResizePolicy[] = []): api.coreV1.Container => ({
  name: "main",
  image,
  resources: { requests: { cpu, memory: "64Mi" }, limits: { cpu: "4", memory: "128Mi" } },
  ...(policy.length === 0 ? {} : { resizePolicy: policy }),
});

const resize = ({ cluster }: NodeUnderTest, requests: Record<string, string>, limits: Record<string, string> = {}) => {
  const patch = { spec: { containers: [{ name: "main", resources: { requests, limits } }] } };
  return cluster.client.resource(pods).patch("web", { type: "strategic", patch }, { subresource: "resize" });
};

test("a container is given more while it runs", async () => {
  await using under = await startStoredNode();
  await under.create({ containers: [container("1")] });
  const before = await wait(under, isReady);
  assert.deepEqual(statusOf(before)?.allocatedResources, { cpu: "1", memory: "64Mi" });
  await resize(under, { cpu: "2" }, { memory: "256Mi" });
  const after = await wait(
    under,
    (pod) => statusOf(pod)?.resources?.requests?.cpu === "2" && conditionOf(pod, "PodResizeInProgress") === undefined,
  );
  assert.deepEqual(statusOf(after)?.allocatedResources, { cpu: "2", memory: "64Mi" });
  assert.deepEqual(statusOf(after)?.resources, { requests: { cpu: "2", memory: "64Mi" }, limits: { cpu: "4", memory: "256Mi" } });
  assert.equal(statusOf(after)?.restartCount, 0);
  assert.equal(statusOf(after)?.containerID, statusOf(before)?.containerID);
  const recorded = await under.recorded();
  const shown =
    '{"containers":[{"name":"main","resources":{"limits":{"cpu":"4","memory":"256Mi"},"requests":{"cpu":"2","memory":"64Mi"}}}],"generation":2}';
  assert.ok(recorded.includes(`Normal ResizeStarted: Pod resize started: ${shown}`), recorded.join("\n"));
  assert.ok(recorded.includes(`Normal ResizeCompleted: Pod resize completed: ${shown}`), recorded.join("\n"));
  assert.deepEqual(under.warnings, []);
});

test("a container that cannot be changed while it runs is started again", async () => {
  await using under = await startStoredNode();
  await under.create({ containers: [container("1", [{ resourceName: "cpu", restartPolicy: "RestartContainer" }])] });
  await wait(under, isReady);
  await resize(under, { cpu: "2" });
  const after = await wait(under, (pod) => isReady(pod) && statusOf(pod)?.restartCount === 1);
  assert.deepEqual(statusOf(after)?.allocatedResources, { cpu: "2", memory: "64Mi" });
  assert.equal(conditionOf(after, "PodResizeInProgress"), undefined);
  assert.ok((await under.recorded()).includes("Normal Killing: Container main resize requires restart"));
});

test("what the node does not have is given when it has", async () => {
  await using under = await startStoredNode();
  await under.create({ containers: [container("2500m")] }, { name: "other" });
  await under.create({ containers: [container("1")] });
  await wait(under, isReady);
  await resize(under, { cpu: "2" });
  const waiting = await wait(under, (pod) => conditionOf(pod, "PodResizePending") !== undefined);
  const { reason, message } = conditionOf(waiting, "PodResizePending") ?? {};
  assert.equal(reason, "Deferred");
  assert.equal(message, "Node didn't have enough resource: cpu, requested: 2000, used: 2500, capacity: 4000");
  assert.deepEqual(statusOf(waiting)?.allocatedResources, { cpu: "1", memory: "64Mi" });
  await under.cluster.client.resource(pods).delete("other");
  const after = await wait(under, (pod) => statusOf(pod)?.resources?.requests?.cpu === "2");
  assert.equal(conditionOf(after, "PodResizePending"), undefined);
});
