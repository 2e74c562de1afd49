/** Run by use-cluster-process.test.ts: tests that fail, and that never end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "@coxswain/client";
import { type TestCluster, useCluster } from "coxswain/testing";

const cluster = useCluster({ per: process.env.PER === "test" ? "test" : "file" });
let waiting: Promise<unknown> | undefined;

test("fails", async () => {
  const parts: TestCluster = await cluster.namespaceForTest();
  await parts.listen();
  assert.fail("as it should");
});

test("never ends", { timeout: 300 }, async () => {
  waiting = cluster.waitFor(configMaps, "never", "create", { timeoutMs: 3_600_000 });
  await waiting;
});

test("comes after both", async () => {
  await assert.rejects(async () => waiting);
  await cluster.client.resource(configMaps).create({ metadata: { name: "app" } });
});
