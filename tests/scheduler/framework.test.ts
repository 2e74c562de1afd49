/** What plugins of one's own may do at each extension point, and what becomes of the Pod. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { defaultProfile, everywhere, type Handle, type PluginFactory, type ProfileSpec, pluginFactories } from "@coxswain/scheduler";
import { addNode, pod, scheduled, startScheduling, timeoutMs } from "./scheduler-under-test.ts";

/** The default profile with a plugin more, at all its points. */
function profileWith(name: string, factory: PluginFactory, schedulerName = "default-scheduler"): ProfileSpec {
  const base = defaultProfile();
  const names = [...(base.plugins.preFilter ?? []), name];
  return {
    ...base,
    schedulerName,
    plugins: everywhere(names.map((one) => ({ name: one }))),
    factories: new Map([...pluginFactories, [name, factory]]),
  };
}

test("several profiles in one process each schedule their own Pods and leave others alone", async () => {
  const picky: PluginFactory = () => ({
    name: "Picky",
    filter: (_, _pod, node) =>
      node.name === "n2" ? undefined : { code: "UnschedulableAndUnresolvable", reasons: ["node(s) were not n2"] },
  });
  await using scheduling = await startScheduling({ profiles: [defaultProfile(), profileWith("Picky", picky, "picky")] });
  const { client, placed, eventsOf, clock } = scheduling;
  for (const name of ["n1", "n2", "n3"]) await addNode(client, name);
  for (let i = 0; i < 4; i++) await client.resource(pods).create(pod(`p${i}`, "100m", { schedulerName: "picky" }));
  await client.resource(pods).create(pod("unassigned", "100m", { schedulerName: "unknown" }));
  await client.resource(pods).create(pod("any"));
  for (let i = 0; i < 4; i++) assert.equal(await placed(`p${i}`), "n2");
  await placed("any");
  await clock.settle();
  assert.deepEqual(await eventsOf("p0"), ["Scheduled: Successfully assigned default/p0 to n2"]);
  assert.equal((await client.resource(pods).get("unassigned")).spec?.nodeName, undefined);
});

test("it explains why this node, and why not the others", async () => {
  await using scheduling = await startScheduling();
  const { client, placed, refused, scheduler } = scheduling;
  await addNode(client, "small", "1");
  await addNode(client, "busy", "4");
  await addNode(client, "idle", "4");
  await client.resource(pods).create(pod("first", "2", { nodeName: "busy" }));
  await client.resource(pods).create(pod("web", "1500m"));
  assert.equal(await placed("web"), "idle");
  const explained = scheduler.explain("default", "web");
  assert.equal(explained?.waiting, undefined);
  const [attempt] = explained?.attempts ?? [];
  assert.deepEqual([attempt?.result, attempt?.node, attempt?.nodes], ["placed", "idle", { total: 3, asked: 3, fit: 2 }]);
  assert.deepEqual(attempt?.refusals, [
    { plugin: "NodeResourcesFit", reasons: ["Insufficient cpu"], preemptionMayHelp: false, count: 1, nodes: ["small"] },
  ]);
  assert.deepEqual(
    attempt?.scores.map(({ node }) => node),
    ["idle", "busy"],
  );
  for (const { total, plugins } of attempt?.scores ?? [])
    assert.equal(
      plugins.reduce((sum, { score, weight }) => sum + score * weight, 0),
      total,
    );
  await client.resource(pods).create(pod("huge", "64"));
  await refused("huge");
  const waiting = scheduler.explain("default", "huge")?.waiting;
  assert.deepEqual([waiting?.queue, waiting?.attempts, waiting?.refusedBy], ["unschedulable", 1, ["NodeResourcesFit"]]);
});

test("a Pod waits for leave as long as its plugin says, and is bound once it has it", async () => {
  let handle: Handle | undefined;
  const gate: PluginFactory = (_args, given) => {
    handle = given;
    return { name: "Gate", events: [], permit: (_, one) => (one.name === "free" ? undefined : { waitMs: 60_000 }) };
  };
  await using scheduling = await startScheduling({ profiles: [profileWith("Gate", gate)] });
  const { client, placed, refused, clock } = scheduling;
  await addNode(client, "only", "1");
  for (const name of ["let", "forgotten"]) await client.resource(pods).create(pod(name, "400m"));
  await client.resource(pods).create(pod("free"));
  await placed("free");
  const waits = () => handle?.waitingPods().map(({ pod: { name }, pendingPlugins }) => [name, ...pendingPlugins()].join(" ")) ?? [];
  await waitUntil("two waiting Pods", () => waits().length >= 2, { pause: () => clock.settle() });
  assert.deepEqual(waits().toSorted(), ["forgotten Gate", "let Gate"]);
  const uid = handle?.waitingPods().find(({ pod: { name } }) => name === "let")?.pod.uid ?? "";
  const waiting = handle?.getWaitingPod(uid);
  assert.ok(waiting !== undefined);
  waiting.allow("Gate");
  assert.equal(await placed("let"), "only");
  const [reason, message] = await refused("forgotten");
  assert.deepEqual(
    [reason, message],
    ["Unschedulable", "0/1 nodes are available: 1 rejected due to timeout after waiting 1m0s at plugin Gate."],
  );
});

test("what was reserved is given back when binding fails, and the Pod is tried again after a pause", async () => {
  const calls: string[] = [];
  let failures = 2;
  const flaky: PluginFactory = () => ({
    name: "Flaky",
    reserve: (_, { name }, node) => void calls.push(`reserve ${name} ${node}`),
    unreserve: (_, { name }, node) => void calls.push(`unreserve ${name} ${node}`),
    preBind: async () => (failures-- > 0 ? { code: "Error", reasons: ["the disk is on fire"] } : undefined),
    postBind: (_, { name }, node) => void calls.push(`bound ${name} ${node}`),
  });
  await using scheduling = await startScheduling({ profiles: [profileWith("Flaky", flaky)] });
  const { client, placed, refused, eventsOf, clock } = scheduling;
  await addNode(client, "only", "1");
  const since = clock.now();
  await client.resource(pods).create(pod("web", "900m"));
  assert.deepEqual(await refused("web"), ["SchedulerError", 'running PreBind plugin "Flaky": the disk is on fire']);
  await placed("web");
  await clock.settle();
  const turn = ["reserve web only", "unreserve web only"];
  assert.deepEqual(calls, [...turn, ...turn, "reserve web only", "bound web only"]);
  assert.ok(clock.now() - since >= 3_000, "each pause is longer than the last");
  assert.equal((await eventsOf("web")).at(-1), "Scheduled: Successfully assigned default/web to only");
});

for (const point of ["preBind", "bind"] as const)
  test(`a Pod rejected at ${point} is retried after its backoff, whatever events its plugin gets`, async () => {
    let refusals = 1;
    const late: PluginFactory = () => ({
      name: "Late",
      events: [],
      [point]: async () => (refusals-- > 0 ? { code: "Unschedulable", reasons: ["the disk is elsewhere"] } : undefined),
    });
    const profile = profileWith("Late", late);
    // Before the one that binds.
    const bind = ["Late", ...(profile.plugins.bind ?? []).filter((name) => name !== "Late")];
    await using scheduling = await startScheduling({ profiles: [{ ...profile, plugins: { ...profile.plugins, bind } }] });
    const { client, placed, refused, clock } = scheduling;
    await addNode(client, "only", "1");
    const since = clock.now();
    await client.resource(pods).create(pod("web", "900m"));
    assert.deepEqual(await refused("web"), ["Unschedulable", "the disk is elsewhere"]);
    await placed("web");
    assert.ok(clock.now() - since <= 3_000, `after ${clock.now() - since} ms`);
  });

test("a Pod has a nominatedNodeName while its binding takes time", async () => {
  const ready = Promise.withResolvers<undefined>();
  const slow: PluginFactory = () => ({ name: "Slow", willPreBind: () => true, preBind: () => ready.promise });
  await using scheduling = await startScheduling({ profiles: [profileWith("Slow", slow)] });
  const { client, placed, cluster } = scheduling;
  await addNode(client, "only", "1");
  await client.resource(pods).create(pod("web"));
  await cluster.waitFor(pods, "web", ({ status }) => status?.nominatedNodeName === "only", { timeoutMs });
  ready.resolve(undefined);
  await placed("web");
  assert.equal((await client.resource(pods).get("web")).status?.nominatedNodeName, undefined);
});

test("a Pod that is deleted while it is bound leaves nothing behind", async () => {
  const stuck: PluginFactory = () => ({
    name: "Stuck",
    preBind: (_, { name }, _node, signal) =>
      name === "stuck"
        ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))
        : Promise.resolve(undefined),
  });
  await using scheduling = await startScheduling({ profiles: [profileWith("Stuck", stuck)] });
  const { client, placed, refused, metrics, clock } = scheduling;
  await addNode(client, "only", "1");
  await client.resource(pods).create(pod("stuck", "900m"));
  const assumed = () => /^scheduler_cache_size\{type="assumed_pods"\} (\d+)$/m.exec(metrics.text())?.[1];
  await waitUntil("an assumed Pod", () => assumed() === "1", { pause: () => clock.settle() });
  await client.resource(pods).create(pod("next", "900m"));
  await refused("next");
  await client.resource(pods).delete("stuck", { gracePeriodSeconds: 0 });
  assert.equal(await placed("next"), "only");
});

test("a filter that throws fails the attempt, not the scheduler", async () => {
  const broken: PluginFactory = () => ({
    name: "Broken",
    filter: (_, { name }) => {
      if (name === "odd") throw new Error("cannot think");
      return undefined;
    },
  });
  await using scheduling = await startScheduling({ profiles: [profileWith("Broken", broken)] });
  const { client, placed, refused } = scheduling;
  await addNode(client, "only");
  await client.resource(pods).create(pod("odd"));
  assert.deepEqual(await refused("odd"), ["SchedulerError", 'running "Broken" filter plugin: cannot think']);
  await client.resource(pods).create(pod("even"));
  assert.equal(await placed("even"), "only");
});

test("a Pod that stays unschedulable gets one event, however often it is retried", async () => {
  await using scheduling = await startScheduling();
  const { client, refused, scheduler, cluster } = scheduling;
  await addNode(client, "n1", "1");
  await client.resource(pods).create(pod("huge", "64"));
  await refused("huge");
  const before = await client.resource(pods).get("huge");
  const attempts = () => scheduler.explain("default", "huge")?.waiting?.attempts ?? 0;
  await cluster.advance({ minutes: 20 });
  assert.ok(attempts() >= 3 && attempts() <= 6, `${attempts()} attempts in twenty minutes`);
  const after = await client.resource(pods).get("huge");
  assert.equal(after.metadata?.resourceVersion, before.metadata?.resourceVersion);
});

test("a Pod bound to a node that has gone counts when the node comes back", async () => {
  await using scheduling = await startScheduling();
  const { client, placed, refused, cluster } = scheduling;
  await client.resource(pods).create(pod("early", "800m", { nodeName: "late" }));
  await addNode(client, "late", "1");
  await client.resource(pods).create(pod("web", "800m"));
  assert.match((await refused("web"))[1], /1 Insufficient cpu/);
  await client.resource(pods).delete("early", { gracePeriodSeconds: 0 });
  assert.equal(await placed("web"), "late");
  await cluster.waitFor(pods, "web", (one) => scheduled(one)?.status === "True", { timeoutMs });
});
