/** The checks as matchers, called as Vitest and Jest call them; tests/packages has them run by both. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type KubeObject, nodes } from "@coxswain/client";
import { conflict } from "@coxswain/machinery";
import { virtualClock } from "../chance-and-time/virtual-clock.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import { matchers } from "./matchers.ts";

const withConditions = (...conditions: object[]): KubeObject => ({
  kind: "Pod",
  metadata: { name: "web", namespace: "shop" },
  status: { conditions },
});
const notReady = { type: "Ready", status: "False" };
const ready = { type: "Ready", status: "True" };
const modified = conflict({ group: "apps", resource: "deployments" }, "web", "the object has been modified");
const virtual = () => startCluster({ clock: virtualClock({ autoAdvance: true }) });
const node = { metadata: { name: "one" } };

test("matchers are the same checks, in both senses", async () => {
  const { toHaveCondition, toBeConflict, toBeReady } = matchers;
  const met = toHaveCondition.call({ isNot: true }, withConditions(ready), "Ready");
  assert.equal(met.pass, true);
  assert.equal(met.message(), "expected Pod shop/web not to have the condition Ready=True\nits conditions:\n  Ready=True");
  assert.equal(toHaveCondition.call({}, withConditions(notReady), "Ready").pass, false);
  assert.equal(toBeReady.call({}, withConditions(ready)).pass, true);
  assert.equal(toBeConflict.call({}, modified).pass, true);
});

test("matchers that wait fail with the error of the wait, and have no opposite", async () => {
  await using cluster = await virtual();
  const { toEventuallyExist, toEventuallyBeDeleted, toEventuallyHaveCondition, toEventuallySatisfy } = matchers;
  const handle = cluster.object(nodes, "one");
  assert.equal((await toEventuallyBeDeleted.call({}, handle)).pass, true);
  const failed = await toEventuallyExist.call({}, handle, { timeoutMs: 5 });
  assert.equal(failed.pass, false);
  assert.match(failed.message(), /nodes "one": it did not exist within 5 ms/);
  await cluster.client.resource(nodes).create(node);
  assert.equal((await toEventuallyExist.call({}, handle)).pass, true);
  assert.equal((await toEventuallySatisfy.call({}, handle, ({ kind }: KubeObject) => assert.equal(kind, "Node"))).pass, true);
  await assert.rejects(toEventuallyHaveCondition.call({ isNot: true }, handle, "Ready"), /`not` would wait for what never happens/);
  await assert.rejects(toEventuallyHaveCondition.call({}, node, "Ready"), /is what it is and will not change/);
});
