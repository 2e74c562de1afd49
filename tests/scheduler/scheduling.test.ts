import assert from "node:assert/strict";
import { test } from "node:test";
import { nodes, pods } from "@coxswain/client";
import { addNode, pod, scheduled, startScheduling } from "./scheduler-under-test.ts";

test("a Pod comes to a node that has room, and both the Pod and its events say so", async () => {
  await using scheduling = await startScheduling();
  const { client, placed, eventsOf, clock } = scheduling;
  await addNode(client, "small", "1");
  await addNode(client, "large", "8");
  await client.resource(pods).create(pod("web", "2"));
  assert.equal(await placed("web"), "large");
  await clock.settle();
  assert.deepEqual(await eventsOf("web"), ["Scheduled: Successfully assigned default/web to large"]);
  assert.equal(scheduled(await client.resource(pods).get("web"))?.status, "True");
});

test("an unschedulable Pod gets the reason, and is placed once a fitting node is added", async () => {
  await using scheduling = await startScheduling();
  const { client, placed, refused, eventsOf, clock } = scheduling;
  await client.resource(pods).create(pod("web", "2"));
  assert.deepEqual(await refused("web"), ["Unschedulable", "no nodes available to schedule pods"]);
  await addNode(client, "small", "1");
  await scheduling.cluster.waitFor(pods, "web", (one) => scheduled(one)?.message?.includes("Insufficient cpu") === true);
  const [, message] = await refused("web");
  assert.equal(
    message,
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  );
  await addNode(client, "large", "8");
  assert.equal(await placed("web"), "large");
  await clock.settle();
  assert.equal((await eventsOf("web")).at(-1), "Scheduled: Successfully assigned default/web to large");
});

test("room that another Pod leaves is taken", async () => {
  await using scheduling = await startScheduling();
  const { client, placed, refused } = scheduling;
  await addNode(client, "only", "1");
  await client.resource(pods).create(pod("first", "800m"));
  await placed("first");
  await client.resource(pods).create(pod("second", "800m"));
  await refused("second");
  await client.resource(pods).delete("first", { gracePeriodSeconds: 0 });
  assert.equal(await placed("second"), "only");
});

test("an update of the node that helps brings the Pod back, one that does not leaves it", async () => {
  await using scheduling = await startScheduling();
  const { client, placed, refused, scheduler, clock } = scheduling;
  await addNode(client, "only", "1");
  await client.resource(nodes).modify("only", (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }));
  await client.resource(pods).create(pod("web"));
  await refused("web");
  const attempts = () => scheduler.explain("default", "web")?.waiting?.attempts;
  assert.equal(attempts(), 1);
  await client.resource(nodes).modify("only", ({ metadata, ...node }) => ({ ...node, metadata: { ...metadata, annotations: { a: "b" } } }));
  await clock.settle();
  assert.equal(attempts(), 1);
  await client.resource(nodes).modify("only", ({ spec: { unschedulable: _, ...spec } = {}, ...node }) => ({
    ...node,
    spec: { ...spec, taints: [] },
  }));
  assert.equal(await placed("web"), "only");
});

test("a gated Pod is not tried before its gates are gone", async () => {
  await using scheduling = await startScheduling();
  const { client, placed, refused, scheduler, metrics } = scheduling;
  await addNode(client, "only");
  await client.resource(pods).create(pod("web", "1", { schedulingGates: [{ name: "example.com/wait" }] }));
  assert.equal((await refused("web"))[0], "SchedulingGated");
  await scheduling.clock.settle();
  assert.match(metrics.text(), /^scheduler_pending_pods\{queue="gated"\} 1$/m);
  const explained = scheduler.explain("default", "web");
  assert.deepEqual([explained?.waiting?.queue, explained?.attempts], ["gated", []]);
  await client.resource(pods).modify("web", ({ spec, ...rest }) => {
    const { schedulingGates: _, ...open } = spec ?? { containers: [] };
    return { ...rest, spec: open };
  });
  assert.equal(await placed("web"), "only");
});

test("Pods of more priority come first, then those that came first", async () => {
  await using scheduling = await startScheduling();
  const { client, placed, refused } = scheduling;
  for (const name of ["low", "other"]) await client.resource(pods).create(pod(name, "600m"));
  for (const name of ["low", "other"]) await refused(name);
  await addNode(client, "only", "1");
  assert.equal(await placed("low"), "only");
  assert.match((await refused("other"))[1], /Insufficient cpu/);
});
