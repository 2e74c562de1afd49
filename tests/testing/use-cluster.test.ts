/** Clusters that come and go with tests. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { configMaps, controller, done, namespaces, secrets, startControllers } from "@coxswain/client";
import { type UsedCluster, useCluster, virtualClock } from "coxswain/testing";

const create = (cluster: UsedCluster, name = "app") => cluster.client.resource(configMaps).create({ metadata: { name } });
const names = async (cluster: UsedCluster) =>
  (await cluster.client.resource(configMaps).list()).items.map(({ metadata }) => metadata?.name);

describe("a cluster for a file", () => {
  const cluster = useCluster({ clock: () => virtualClock({ autoAdvance: true }) });
  const seen: string[] = [];
  for (const number of [1, 2])
    test(`test ${number} has a namespace of its own`, async () => {
      assert.match(cluster.namespace, /^test-.{5}$/);
      assert.equal(seen.includes(cluster.namespace), false);
      seen.push(cluster.namespace);
      assert.equal((await create(cluster)).metadata?.namespace, cluster.namespace);
      const [secret] = await cluster.applyYaml("{ apiVersion: v1, kind: Secret, metadata: { name: app } }");
      assert.equal(secret?.metadata?.namespace, cluster.namespace);
      assert.equal((await cluster.waitFor(secrets, "app", "create")).metadata?.namespace, cluster.namespace);
      assert.equal(cluster.clientFor({ name: "jane" }).namespace, cluster.namespace);
    });
  test("what a test has left is in a namespace that is deleted", async () => {
    for (const name of seen) await cluster.waitFor(namespaces, name, ({ metadata }) => metadata?.deletionTimestamp !== undefined);
  });
  test("a subtest has what the test around it has", async (t) => {
    const { namespace } = cluster;
    await t.test("inner", () => assert.equal(cluster.namespace, namespace));
    assert.equal(cluster.namespace, namespace);
    await create(cluster);
  });
});

describe("a cluster for each test", () => {
  const cluster = useCluster({ per: "test", seed: 7 });
  const uids = new Set<string>();
  for (const number of [1, 2])
    test(`test ${number} has nothing of another`, async () => {
      const { metadata } = await create(cluster);
      assert.equal(metadata?.namespace, "default");
      assert.deepEqual(await names(cluster), ["app"]);
      uids.add(metadata.uid ?? "");
    });
  test("each began with the same seed", () => assert.equal(uids.size, 1));
});

describe("what setup begins", () => {
  const mirror = controller({
    name: "mirror",
    for: configMaps,
    labelSelector: "mirror",
    reconcile: async ({ name, namespace }, { client }) => {
      await client.resource(secrets).apply({ metadata: { name, namespace: namespace ?? "" } }, { fieldManager: "mirror" });
      return done;
    },
  });
  const cluster = useCluster({ setup: (started) => startControllers([mirror], started) });
  test("runs in the tests", async () => {
    await cluster.client.resource(configMaps).create({ metadata: { name: "app", labels: { mirror: "yes" } } });
    await cluster.waitFor(secrets, "app", "create");
  });
});

test("what the options do not know is refused", () => {
  assert.throws(() => useCluster({ pre: "test" } as never), /useCluster has no option pre; did you mean per\?/);
  assert.throws(() => useCluster({ per: "suite" } as never), /a cluster per "file" or per "test", not per "suite"/);
});
