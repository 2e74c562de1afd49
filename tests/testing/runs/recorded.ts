/** Run by failure-recordings.test.ts: tests with clusters of their own, which fail in several ways, or do not. FAILING=no: all pass. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, secrets } from "@coxswain/client";
import { eachVersion, FaultScript, startCluster, WaitError, watchInvariants } from "coxswain/testing";

const isFailing = process.env.FAILING !== "no";
const options = { skip: !isFailing };

test("asserts what is not so", options, async () => {
  await using cluster = await startCluster();
  const faults = new FaultScript([{ on: { verb: "get" }, fault: { kind: "lose-answer" }, times: 1 }]);
  const client = cluster.clientFor({ name: "max" }, { faults });
  await client.resource(configMaps).create({ metadata: { name: "a" }, data: { is: "here" } });
  await client.resource(configMaps).get("a");
  await assert.rejects(client.resource(configMaps).get("b"));
  assert.equal(1, 2);
});

test("waits in vain", options, async () => {
  await using cluster = await startCluster({ seed: 7 });
  await cluster.waitFor(secrets, "never", "condition=Ready", { timeoutMs: 20 });
});

test("has several clusters", options, async () => {
  await using _first = await startCluster();
  await using _second = await startCluster();
  throw new TypeError("of both");
});

test("breaks an invariant", options, async () => {
  await using cluster = await startCluster();
  await using _watched = watchInvariants(cluster, { "is a": eachVersion(configMaps, ({ object }) => object?.metadata?.name === "a") });
  for (const name of ["a", "b"]) await cluster.client.resource(configMaps).create({ metadata: { name } });
});

test("expects a wait in vain", async () => {
  await using cluster = await startCluster();
  await assert.rejects(cluster.waitFor(configMaps, "never", "create", { timeoutMs: 5 }), WaitError);
  await cluster.client.resource(configMaps).create({ metadata: { name: "a" } });
});
