/** How to test a controller with node:test: against a real API in this process, with time that flies and faults by script. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionOf, isConditionTrue, startControllers } from "@coxswain/client";
import { everyFaultAtEveryStep, FaultScript, startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { type Bucket, bucketController, buckets } from "./support/bucket-controller.ts";
import { openCloud } from "./support/cloud.ts";

// What every test begins with is made once. Time goes on by itself whenever everything waits.
const prepared = await (async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await cluster.applyYaml({ files: [`${import.meta.dirname}/manifests/buckets.yaml`] });
  return cluster.snapshot();
})();

const isReady = (bucket: Bucket) => isConditionTrue(bucket, "Ready");
const create = ({ client }: TestCluster, name: string) =>
  client.resource(buckets).create({ metadata: { name }, spec: { bucketName: name } });

test("makes the bucket, and says so", async () => {
  await using cluster = await startCluster({ from: prepared });
  const { s3 } = await openCloud(cluster.clock);
  await using _controllers = startControllers([bucketController(s3)], cluster);
  await create(cluster, "photos");
  const { metadata } = await cluster.waitFor(buckets, "photos", isReady);
  assert.deepEqual(await s3.tagsOf("photos"), { "kubernetes-owner": metadata?.uid });
});

test("a day without the cloud passes in no time", async () => {
  await using cluster = await startCluster({ from: prepared });
  const cloud = await openCloud(cluster.clock);
  const attempts = cloud.failNext(100, "SlowDown");
  await using _controllers = startControllers([bucketController(cloud.s3)], cluster);
  await create(cluster, "photos");
  await cluster.waitFor(buckets, "photos", isReady, { timeoutMs: 7 * 24 * 3_600_000 });
  assert.equal(attempts.length, 101);
  const gaps = attempts.map((at, i) => at - (attempts[i - 1] ?? at));
  assert.equal(Math.max(...gaps), 1_000_000, "the backoff ends at a thousand seconds");
});

test("does not lose its bucket when the answer to a write is lost", async () => {
  await using cluster = await startCluster({ from: prepared });
  const { s3 } = await openCloud(cluster.clock);
  const faults = new FaultScript([{ on: { resource: "buckets", verb: "write" }, nth: 1, fault: { kind: "lose-answer" } }]);
  const client = cluster.clientFor({ name: "controller" }, { faults });
  await using _controllers = startControllers([bucketController(s3)], { client });
  await create(cluster, "photos");
  await cluster.waitFor(buckets, "photos", isReady);
  assert.equal(faults.fired.length, 1);
});

test("what becomes of one state is tried out on forks of it", async () => {
  await using cluster = await startCluster({ from: prepared });
  await create(cluster, "photos");
  for (const code of ["AccessDenied", "BucketAlreadyExists"]) {
    await using fork = await cluster.fork();
    const cloud = await openCloud(fork.clock);
    cloud.failNext(Number.POSITIVE_INFINITY, code);
    await using _controllers = startControllers([bucketController(cloud.s3)], fork);
    await fork.waitFor(buckets, "photos", (bucket) => conditionOf(bucket, "Ready")?.reason === code);
  }
  assert.equal((await cluster.client.resource(buckets).get("photos")).status, undefined);
});

test("each fault at each step: the bucket is made and goes, whatever goes wrong", async () => {
  const { runs } = await everyFaultAtEveryStep({
    from: prepared,
    scenario: async ({ client, cluster }) => {
      const { s3 } = await openCloud(cluster.clock);
      await using _controllers = startControllers([bucketController(s3)], { client });
      await create(cluster, "photos");
      await cluster.waitFor(buckets, "photos", isReady, { timeoutMs: 3_600_000 });
      await cluster.client.resource(buckets).delete("photos");
      await cluster.waitFor(buckets, "photos", "delete", { timeoutMs: 3_600_000 });
      assert.equal(await s3.tagsOf("photos"), undefined);
    },
  });
  assert.ok(runs > 50);
});
