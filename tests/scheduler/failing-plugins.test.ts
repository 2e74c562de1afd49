/** A plugin that fails does so for one Pod: the others are placed, and that one too, once it works. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "@coxswain/client";
import { type PodInfo, resolveScheduler, type SchedulerPlugin } from "@coxswain/scheduler";
import { addNode, pod, scheduled, startScheduling, timeoutMs } from "./scheduler-under-test.ts";

type Refuse = (pod: PodInfo) => undefined;

const points: readonly { point: keyof SchedulerPlugin; plugin: (refuse: Refuse) => Omit<SchedulerPlugin, "name"> }[] = [
  { point: "preFilter", plugin: (refuse) => ({ preFilter: (_state, one) => refuse(one) }) },
  { point: "filter", plugin: (refuse) => ({ filter: (_state, one) => refuse(one) }) },
  { point: "preScore", plugin: (refuse) => ({ preScore: (_state, one) => refuse(one) }) },
  { point: "score", plugin: (refuse) => ({ score: (_state, one) => refuse(one) ?? 1 }) },
  { point: "normalizeScore", plugin: (refuse) => ({ score: () => 1, normalizeScore: (_state, one) => void refuse(one) }) },
  { point: "reserve", plugin: (refuse) => ({ reserve: (_state, one) => refuse(one) }) },
  { point: "permit", plugin: (refuse) => ({ permit: (_state, one) => refuse(one) }) },
  { point: "preBind", plugin: (refuse) => ({ preBind: async (_state, one) => refuse(one) }) },
  { point: "bind", plugin: (refuse) => ({ bind: async (_state, one) => refuse(one) }) },
];

for (const { point, plugin } of points)
  test(`${point} throws`, async () => {
    let isBroken = true;
    const refuse: Refuse = ({ name }) => {
      if (isBroken && name === "bad") throw new Error("it is broken");
    };
    const own = { Own: () => ({ name: "Own", ...plugin(refuse) }) };
    // First of all, so that no other plugin is asked instead.
    const first = { enabled: [{ name: "Own" }, { name: "DefaultBinder" }], disabled: [{ name: "DefaultBinder" }] };
    const { profiles } = resolveScheduler({ plugins: own, profiles: [{ plugins: { multiPoint: first } }] });
    await using scheduling = await startScheduling({ profiles });
    const { client, cluster } = scheduling;
    for (const name of ["a", "b"]) await addNode(client, name);
    await client.resource(pods).create(pod("bad"));
    await client.resource(pods).create(pod("good"));
    await scheduling.placed("good");
    const bad = await cluster.waitFor(pods, "bad", (one) => scheduled(one)?.status === "False", { timeoutMs });
    assert.equal(scheduled(bad)?.reason, "SchedulerError");
    assert.match(scheduled(bad)?.message ?? "", /"Own".*: it is broken/);
    isBroken = false;
    await scheduling.placed("bad");
  });

test("postBind throws: the Pod is bound all the same", async () => {
  const own = {
    Own: () => ({
      name: "Own",
      postBind: () => {
        throw new Error("it is broken");
      },
      unreserve: () => {
        throw new Error("it is broken");
      },
    }),
  };
  const { profiles } = resolveScheduler({ plugins: own, profiles: [{ plugins: { multiPoint: { enabled: [{ name: "Own" }] } } }] });
  await using scheduling = await startScheduling({ profiles });
  await addNode(scheduling.client, "a");
  for (const name of ["p", "q"]) {
    await scheduling.client.resource(pods).create(pod(name));
    assert.equal(await scheduling.placed(name), "a");
  }
});

test("a plugin that throws in preEnqueue, a queueing hint or postFilter does not delay other Pods", async () => {
  const broken = (): never => {
    throw new Error("it is broken");
  };
  const own = {
    Own: (): SchedulerPlugin => ({
      name: "Own",
      preEnqueue: ({ name }) => (name === "bad" ? broken() : undefined),
      filter: (_state, { name }, node) => (name === "picky" && node.name === "a" ? { code: "Unschedulable", reasons: ["no"] } : undefined),
      events: [{ event: { resource: "Node", actions: ["add"] }, hint: broken }],
      postFilter: async () => broken(),
    }),
  };
  const { profiles } = resolveScheduler({ plugins: own, profiles: [{ plugins: { multiPoint: { enabled: [{ name: "Own" }] } } }] });
  await using scheduling = await startScheduling({ profiles });
  const { client } = scheduling;
  await addNode(client, "a");
  for (const name of ["bad", "picky", "good"]) await client.resource(pods).create(pod(name));
  assert.equal(await scheduling.placed("good"), "a");
  await scheduling.refused("picky");
  await addNode(client, "b");
  assert.equal(await scheduling.placed("picky"), "b");
});
