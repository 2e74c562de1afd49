import assert from "node:assert/strict";
import { test } from "node:test";
import { events, podDisruptionBudgets, pods, priorityClasses } from "@coxswain/client";
import { addNode, pod, startScheduling, timeoutMs } from "./scheduler-under-test.ts";

test("an important Pod takes the place of a less important one", async () => {
  await using scheduling = await startScheduling();
  const { client, cluster } = scheduling;
  await client.resource(priorityClasses).create({ metadata: { name: "high" }, value: 1000 });
  await addNode(client, "a", "1");
  await client.resource(pods).create(pod("low", "1"));
  assert.equal(await scheduling.placed("low"), "a");
  const high = await client.resource(pods).create(pod("high", "1", { priorityClassName: "high" }));
  const going = await cluster.waitFor(pods, "low", ({ metadata }) => metadata?.deletionTimestamp !== undefined, { timeoutMs });
  const { lastTransitionTime: _, ...condition } = going.status?.conditions?.find(({ type }) => type === "DisruptionTarget") ?? {};
  assert.deepEqual(condition, {
    type: "DisruptionTarget",
    status: "True",
    reason: "PreemptionByScheduler",
    message: "default-scheduler: preempting to accommodate a higher priority pod",
    observedGeneration: 1,
    lastProbeTime: null,
  });
  const nominated = await cluster.waitFor(pods, "high", ({ status }) => status?.nominatedNodeName === "a", { timeoutMs });
  assert.equal(nominated.spec?.nodeName, undefined);
  await cluster.advance({ seconds: 5 });
  const eventsOf = (await client.resource(events).list()).items.find(({ reason }) => reason === "Preempted");
  assert.equal(eventsOf?.message, `Preempted by pod ${high.metadata?.uid} on node a`);
  assert.deepEqual([eventsOf?.involvedObject.name, eventsOf?.action, eventsOf?.related?.name], ["low", "Preempting", "high"]);
  await client.resource(pods).delete("low", { gracePeriodSeconds: 0 });
  assert.equal(await scheduling.placed("high"), "a");
});

test("the place that is made is kept from less important Pods", async () => {
  await using scheduling = await startScheduling();
  const { client, cluster } = scheduling;
  await client.resource(priorityClasses).create({ metadata: { name: "high" }, value: 1000 });
  await addNode(client, "a", "1");
  await client.resource(pods).create(pod("low", "1"));
  await scheduling.placed("low");
  await client.resource(pods).create(pod("high", "1", { priorityClassName: "high" }));
  await cluster.waitFor(pods, "high", ({ status }) => status?.nominatedNodeName === "a", { timeoutMs });
  await client.resource(pods).create(pod("late", "1"));
  await scheduling.refused("late");
  await client.resource(pods).delete("low", { gracePeriodSeconds: 0 });
  assert.equal(await scheduling.placed("high"), "a");
  assert.equal((await client.resource(pods).get("late")).spec?.nodeName, undefined);
});

test("what a budget protects goes last", async () => {
  await using scheduling = await startScheduling();
  const { client, cluster } = scheduling;
  await client.resource(priorityClasses).create({ metadata: { name: "high" }, value: 1000 });
  await client.resource(podDisruptionBudgets).create({
    metadata: { name: "guard" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } },
  });
  await addNode(client, "a", "2");
  await client.resource(pods).create(pod("guarded", "1", {}, { app: "guarded" }));
  await client.resource(pods).create(pod("free", "1"));
  for (const name of ["guarded", "free"]) await scheduling.placed(name);
  await client.resource(pods).create(pod("high", "1", { priorityClassName: "high" }));
  await cluster.waitFor(pods, "free", ({ metadata }) => metadata?.deletionTimestamp !== undefined, { timeoutMs });
  assert.equal((await client.resource(pods).get("guarded")).metadata?.deletionTimestamp, undefined);
});
