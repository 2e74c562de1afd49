/** The race: scheduler and kubelet hold the same version of one Pod, and both write. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, conflictChanges, explainConflict, isConflict, pods, priorityClasses, type ResourceClient } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";
import { addNode, pod, startScheduling, timeoutMs } from "./scheduler-under-test.ts";

type Pod = api.coreV1.Pod;
type Change = (pod: Pod) => Pod;

const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: "2026-01-01T00:00:00Z" });

/** Each says something of its own. */
const says: Readonly<Record<"scheduler" | "kubelet", Change>> = {
  scheduler: ({ status = {}, ...rest }) => ({
    ...rest,
    status: { ...status, conditions: [...(status.conditions ?? []), condition("DisruptionTarget", "True")] },
  }),
  kubelet: ({ status = {}, ...rest }) => ({
    ...rest,
    status: {
      ...status,
      phase: "Running",
      podIP: "10.0.0.7",
      podIPs: [{ ip: "10.0.0.7" }],
      conditions: [...(status.conditions ?? []), condition("Ready", "True")],
    },
  }),
};

/** After each conflict from a fresh read. Returns the number of conflicts. */
async function write(resource: ResourceClient<Pod>, held: Pod, change: Change): Promise<readonly unknown[]> {
  const conflicts: unknown[] = [];
  for (let read = held; ; read = await resource.get("web")) {
    try {
      await resource.updateStatus(change(read));
      return conflicts;
    } catch (error) {
      if (!isConflict(error)) throw error;
      conflicts.push(error);
    }
  }
}

for (const [first, second] of [
  ["scheduler", "kubelet"],
  ["kubelet", "scheduler"],
] as const)
  test(`the ${second} is later than the ${first}: it gets one 409, and both changes stand`, async () => {
    await using cluster = await startCluster({ clock: virtualClock() });
    const as = (name: string) => cluster.clientFor({ name }, { fieldManager: name }).resource(pods);
    await cluster.client.resource(pods).create(pod("web", "1", { nodeName: "a" }));
    const held = { [first]: await as(first).get("web"), [second]: await as(second).get("web") };
    assert.equal(held[first]?.metadata?.resourceVersion, held[second]?.metadata?.resourceVersion);

    assert.deepEqual(await write(as(first), held[first] ?? {}, says[first]), []);
    const conflicts = await write(as(second), held[second] ?? {}, says[second]);
    assert.equal(conflicts.length, 1);
    assert.match(explainConflict(conflicts[0]), new RegExp(first));
    assert.ok(conflictChanges(conflicts[0]).length > 0);

    const { status } = await cluster.client.resource(pods).get("web");
    assert.equal(status?.phase, "Running");
    assert.deepEqual(status?.conditions?.map(({ type }) => type).toSorted(), ["DisruptionTarget", "Ready"]);
  });

test("two concurrent writers in either order: one 409 in all, and both changes persist", async () => {
  await using cluster = await startCluster({ clock: virtualClock() });
  const as = (name: string) => cluster.clientFor({ name }, { fieldManager: name }).resource(pods);
  await cluster.client.resource(pods).create(pod("web", "1", { nodeName: "a" }));
  const held = await as("user").get("web");
  const conflicts = await Promise.all((["scheduler", "kubelet"] as const).map((who) => write(as(who), held, says[who])));
  assert.equal(conflicts.flat().length, 1);
  const { status } = await cluster.client.resource(pods).get("web");
  assert.equal(status?.phase, "Running");
  assert.deepEqual(status?.conditions?.map(({ type }) => type).toSorted(), ["DisruptionTarget", "Ready"]);
});

test("the scheduler itself makes room while a kubelet writes from what it saw before", async () => {
  await using scheduling = await startScheduling();
  const { client, cluster } = scheduling;
  const kubelet = cluster.clientFor({ name: "system:node:a" }, { fieldManager: "kubelet" }).resource(pods);
  await client.resource(priorityClasses).create({ metadata: { name: "high" }, value: 1000 });
  await addNode(client, "a", "1");
  await client.resource(pods).create(pod("web", "1"));
  await scheduling.placed("web");
  const held = await kubelet.get("web");
  await client.resource(pods).create(pod("high", "1", { priorityClassName: "high" }));
  await cluster.waitFor(pods, "web", ({ metadata }) => metadata?.deletionTimestamp !== undefined, { timeoutMs });
  const conflicts = await write(kubelet, held, says.kubelet);
  assert.equal(conflicts.length, 1);
  const { metadata, status } = await client.resource(pods).get("web");
  assert.ok(metadata?.deletionTimestamp !== undefined);
  assert.equal(status?.phase, "Running");
  const types = status?.conditions?.map(({ type }) => type).toSorted();
  assert.deepEqual(types, ["DisruptionTarget", "PodScheduled", "Ready"]);
  await client.resource(pods).delete("web", { gracePeriodSeconds: 0 });
  assert.equal(await scheduling.placed("high"), "a");
});
