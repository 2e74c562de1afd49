import assert from "node:assert/strict";
import { test } from "node:test";
import { nodes, pods } from "@coxswain/client";
import { isReady, nodeName, type Pod, script, startNode } from "./kubelet-under-test.ts";

const timeoutMs = 3_600_000;
const node = { metadata: { name: nodeName, uid: "node-uid" }, status: { allocatable: { cpu: "2", memory: "8Gi", pods: "10" } } };
const image = "registry.example/app:1";
const asking = (cpu: string) => ({ containers: [{ name: "main", image, resources: { requests: { cpu } } }] });
const wait = (cluster: Awaited<ReturnType<typeof startNode>>["cluster"], name: string, until: (pod: Pod) => boolean) =>
  cluster.waitFor(pods, name, until, { timeoutMs });

test("a Pod for which there is no room is refused for good, and can be deleted", async () => {
  await using under = await startNode({ node: () => node });
  const { cluster } = under;
  await under.create(asking("1500m"), { name: "first" });
  await wait(cluster, "first", isReady);
  await under.create(asking("1"));
  const { status } = await wait(cluster, "web", (pod) => pod.status?.phase === "Failed");
  const message = "Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000";
  assert.equal(status?.reason, "OutOfcpu");
  assert.equal(status?.message, `Pod was rejected: ${message}`);
  assert.equal(status?.containerStatuses, undefined);
  assert.ok((await under.recorded()).includes(`Warning OutOfcpu: ${message}`));
  await cluster.client.resource(pods).delete("web");
  await cluster.waitFor(pods, "web", "delete", { timeoutMs });
  assert.deepEqual(under.warnings, []);
});

test("room is made for a Pod that the cluster cannot be without", async () => {
  await using under = await startNode({ node: () => node });
  const { cluster } = under;
  await under.create(asking("1500m"), { name: "first", ...script({ "stop-after": "5s" }) });
  await wait(cluster, "first", isReady);
  await cluster.client.resource(pods).create({
    metadata: { name: "vital", namespace: "kube-system" },
    spec: { ...asking("1"), nodeName, priorityClassName: "system-node-critical" },
  });
  await cluster.waitFor(pods, { namespace: "kube-system", name: "vital" }, isReady, { timeoutMs });
  const { status } = await cluster.client.resource(pods).get("first");
  assert.equal(status?.phase, "Failed");
  assert.equal(status?.reason, "Preempting");
  assert.equal(status?.message, "Preempted in order to admit critical pod");
  const disruption = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  assert.equal(disruption?.reason, "TerminationByKubelet");
  assert.equal(disruption?.message, "Pod was preempted by Kubelet to accommodate a critical pod.");
  assert.ok((await under.recorded()).includes("Warning Preempting: Preempted in order to admit critical pod"));
});

const selecting = { nodeSelector: { zone: "a" } };
const labelled = { apiVersion: "v1", kind: "Node", metadata: { name: nodeName, labels: { zone: "a" } }, status: node.status };

test("a Pod that selects a label which the Node watch has not delivered yet is admitted", async () => {
  await using under = await startNode({ node: () => node });
  await under.cluster.client.resource(nodes).create(labelled);
  await under.create(selecting);
  await wait(under.cluster, "web", isReady);
});

test("a Pod that selects a label which the node lacks is rejected, and one deleted meanwhile is dropped", async () => {
  await using under = await startNode({ node: () => node });
  await under.cluster.client.resource(nodes).create({ ...labelled, metadata: { name: nodeName } });
  await under.create(selecting, { name: "gone" });
  await under.cluster.client.resource(pods).delete("gone", { gracePeriodSeconds: 0 });
  await under.create(selecting);
  const { status } = await wait(under.cluster, "web", (pod) => pod.status?.phase === "Failed");
  assert.equal(status?.reason, "NodeAffinity");
  assert.deepEqual(under.warnings, []);
});

test("a Pod that waits for its name can be preempted", async () => {
  const held = Promise.withResolvers<void>();
  await using under = await startNode({ node: () => node, before: (verb) => (verb === "stopContainer" ? held.promise : undefined) });
  const { cluster } = under;
  const all = cluster.client.resource(pods);
  await under.create(asking("400m"));
  await wait(cluster, "web", isReady);
  await all.delete("web", { gracePeriodSeconds: 0 });
  await under.create(asking("1500m"));
  await all.create({
    metadata: { name: "vital", namespace: "kube-system" },
    spec: { ...asking("1"), nodeName, priorityClassName: "system-node-critical" },
  });
  const { status } = await wait(cluster, "web", (pod) => pod.status?.phase === "Failed");
  assert.equal(status?.reason, "Preempting");
  held.resolve();
  await cluster.waitFor(pods, { namespace: "kube-system", name: "vital" }, isReady, { timeoutMs });
  assert.equal((await all.get("web")).status?.phase, "Failed");
});
