/** Hooks as any runner calls them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "@coxswain/client";
import { clusterByHooks, type RunnerHooks, type UseClusterOptions } from "./cluster-by-hooks.ts";

/** As a runner would call the hooks. */
function runner(options: UseClusterOptions) {
  const hooks = new Map<string, (test: string) => Promise<void>>();
  const on = (name: string) => (fn: (test: string) => Promise<void>) => void hooks.set(name, fn);
  const registered: RunnerHooks = { before: on("before"), after: on("after"), beforeEach: on("beforeEach"), afterEach: on("afterEach") };
  const cluster = clusterByHooks(registered, options);
  return { cluster, call: async (name: string, test = "a test") => await hooks.get(name)?.(test) };
}

test("outside of tests there is no cluster", async () => {
  const { cluster, call } = runner({ per: "test" });
  assert.throws(() => cluster.client, /the cluster of useCluster is there in tests/);
  assert.equal(await (cluster as unknown), cluster, "it can be awaited");
  await call("beforeEach");
  const { client } = cluster;
  await call("afterEach");
  assert.throws(() => cluster.client, /is there in tests/);
  await assert.rejects(client.resource(configMaps).list(), /the client is closed/);
});

test("a test that is given up loses its cluster, and whatever waits there ends", async () => {
  for (const per of ["test", "file"] as const) {
    const { cluster, call } = runner({ per });
    await call("before");
    await call("beforeEach");
    const wait = cluster.waitFor(configMaps, "never", "create");
    const ended = wait.then(
      () => "resolved",
      () => "rejected",
    );
    await call("afterEach");
    assert.equal(await ended, "rejected", per);
    await call("after");
  }
});

test("tests that run at once are refused, and the first goes on", async () => {
  const { cluster, call } = runner({ per: "test" });
  await call("beforeEach", "first");
  await assert.rejects(
    call("beforeEach", "second"),
    /second and first run at once and cannot share one useCluster: call startCluster in each/,
  );
  await call("afterEach", "second");
  await cluster.client.resource(configMaps).create({ metadata: { name: "app" } });
  await call("afterEach", "first");
});

test("a setup that fails leaves no cluster behind", async () => {
  const boom = new Error("no definitions");
  const { cluster, call } = runner({
    per: "test",
    setup: () => {
      throw boom;
    },
  });
  await assert.rejects(call("beforeEach"), boom);
  await call("afterEach");
  assert.throws(() => cluster.client, /is there in tests/);
});
