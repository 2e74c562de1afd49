/** The example of a controller of buckets (examples/05), its user, and a cloud that keeps count. */

import assert from "node:assert/strict";
import { type Client, conditionOf, leases, sleep, startControllers } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import type { Scenario, TestCluster } from "coxswain/testing";
import { type Bucket, bucketController, buckets, ownerTag } from "../../../examples/support/bucket-controller.ts";
import type { Tags } from "../../../examples/support/s3.ts";
import { Cloud } from "./cloud.ts";
import { type FaultChoice, lateMs, type Process } from "./fault-choice.ts";
import { keepRunning } from "./keep-running.ts";
import { type Outcome, objectsIn, sameEachTime } from "./outcome.ts";

/** A watch that stalls unnoticed is given up after some ten minutes, and then the next may stall. */
const longTimeout = { timeoutMs: 14_400_000 };
const resyncMs = 300_000;

const readyOf = (bucket: Bucket) => conditionOf(bucket, "Ready");
const isInLine = (bucket: Bucket): boolean =>
  readyOf(bucket)?.status === "True" && bucket.status?.observedGeneration === bucket.metadata?.generation;
const says = (reason: string) => (bucket: Bucket) => readyOf(bucket)?.reason === reason;

/** What becomes of Buckets in their lives: made, changed, meddled with, adopted, refused, held up, deleted, made again. */
async function useBuckets(cluster: TestCluster, cloud: Cloud): Promise<void> {
  const objects = cluster.client.resource(buckets);
  const s3 = cloud.s3(undefined);
  const create = (name: string, spec: Partial<Bucket["spec"]> = {}) =>
    objects.create({ metadata: { name }, spec: { bucketName: name, ...spec } });
  const change = (name: string, spec: Partial<Bucket["spec"]>) => objects.patch(name, { type: "merge", patch: { spec } });
  await s3.createBucket("legacy");
  await s3.createBucket("foreign");
  await create("photos", { tags: { team: "web" } });
  await Promise.all([create("legacy"), create("foreign")]);
  await cluster.waitFor(buckets, "photos", isInLine, longTimeout);
  await s3.setTags("photos", { ...cloud.tagsOf("photos"), team: "mine-now" });
  await waitUntil("the tags to be put right", () => cloud.tagsOf("photos")?.team === "web", { pause: () => sleep(cluster.clock, 10_000) });
  await change("photos", { tags: { team: "shop" } });
  await cluster.waitFor(buckets, "photos", isInLine, longTimeout);
  await cluster.waitFor(buckets, "legacy", says("NotOurs"), longTimeout);
  await change("legacy", { adopt: true });
  await cluster.waitFor(buckets, "legacy", isInLine, longTimeout);
  await s3.putObject("photos", "cat.jpg", "meow");
  await objects.delete("photos");
  await cluster.waitFor(buckets, "photos", says("BucketNotEmpty"), longTimeout);
  await s3.deleteObject("photos", "cat.jpg");
  await cluster.waitFor(buckets, "photos", "delete", longTimeout);
  await cluster.waitFor(buckets, "foreign", says("NotOurs"), longTimeout);
  await objects.delete("foreign");
  await cluster.waitFor(buckets, "foreign", "delete", longTimeout);
  await create("photos", { tags: { team: "again" } });
  await cluster.waitFor(buckets, "photos", isInLine, longTimeout);
  // Whatever is still to come has come by then, and everything was looked at once more.
  await sleep(cluster.clock, resyncMs * 1.5);
  for (const name of ["photos", "legacy"]) await cluster.waitFor(buckets, name, isInLine, longTimeout);
}

/** Ends with a bucket of `photos` and one of `legacy`, and with that of another owner as it was. */
export function bucketScenario(faultChoice: FaultChoice): Scenario {
  const check = sameEachTime();
  return async ({ client, cluster, signal }) => {
    faultChoice.begin();
    const cloud = new Cloud(cluster.clock);
    const start = (own: Client, process: Process) =>
      startControllers([bucketController(cloud.s3(process), { resyncMs })], { client: own, syncTimeoutMs: longTimeout.timeoutMs });
    const stop = new AbortController();
    const running = keepRunning({ name: "a", faultChoice, client, start }, AbortSignal.any([signal, stop.signal]));
    await Promise.race([useBuckets(cluster, cloud), running.then(() => Promise.reject(new Error("the controller has ended")))]);
    const left = await cloudOutcome(cluster, cloud);
    assert.deepEqual(left, {
      legacy: { tags: {}, keys: [], owner: "legacy" },
      foreign: { tags: {}, keys: [], owner: undefined },
      photos: { tags: { team: "again" }, keys: [], owner: "photos" },
    });
    check(await objectsIn(cluster, [buckets]));
    stop.abort();
    await running;
  };
}

export const bucketDefinition = { files: [`${import.meta.dirname}/../../../examples/manifests/buckets.yaml`] };

/** A short life, over once no late request can arrive any more. */
async function useOneBucket(cluster: TestCluster): Promise<void> {
  const objects = cluster.client.resource(buckets);
  for (const team of ["web", "again"]) {
    await objects.create({ metadata: { name: "photos" }, spec: { bucketName: "photos", tags: { team } } });
    await cluster.waitFor(buckets, "photos", isInLine, longTimeout);
    await objects.patch("photos", { type: "merge", patch: { spec: { tags: { team: `${team}-shop` } } } });
    await cluster.waitFor(buckets, "photos", isInLine, longTimeout);
    if (team === "again") continue;
    await objects.delete("photos");
    await cluster.waitFor(buckets, "photos", "delete", longTimeout);
  }
  await sleep(cluster.clock, lateMs + 10_000);
}

/** Two processes, of which one at a time may work; everything happens to the first. */
export function leaderScenario(faultChoice: FaultChoice): Scenario {
  const check = sameEachTime();
  return async ({ client, cluster, signal }) => {
    faultChoice.begin(() => usurp(cluster));
    const cloud = new Cloud(cluster.clock);
    const start = (own: Client, process: Process) => {
      const leaderElection = { lease, identity: `${process.name}_${own.random.uuid()}` };
      const options = { client: own, leaderElection, syncTimeoutMs: longTimeout.timeoutMs };
      return startControllers([bucketController(cloud.s3(process), { resyncMs })], options);
    };
    const stop = new AbortController();
    const end = AbortSignal.any([signal, stop.signal]);
    const second = async (): Promise<void> => {
      await sleep(cluster.clock, 1_000);
      await keepRunning({ name: "b", faultChoice, client: cluster.clientFor({ name: "b" }), start }, end);
    };
    const running = [keepRunning({ name: "a", faultChoice, client, start }, end), second()];
    await Promise.race([
      useOneBucket(cluster),
      ...running.map((one) => one.then(() => Promise.reject(new Error("a candidate has ended")))),
    ]);
    assert.deepEqual(await cloudOutcome(cluster, cloud), { photos: { tags: { team: "again-shop" }, keys: [], owner: "photos" } });
    check(await objectsIn(cluster, [buckets]));
    // Nothing makes the second lose the lease, so what the first does afterwards it does without.
    const taken = cloud.changes.findIndex(({ by }) => by?.name === "b");
    const late = taken < 0 ? [] : cloud.changes.slice(taken).filter(({ by }) => by?.name === "a");
    assert.deepEqual(
      late.map(({ what }) => what),
      [],
      "the former leader has gone on",
    );
    stop.abort();
    await Promise.all(running);
  };
}

const lease = { namespace: "kube-system", name: "buckets" };

/** Another client takes the lease from the first of the two and never renews it. */
async function usurp({ client }: TestCluster): Promise<void> {
  const held = client.resource(leases, lease.namespace);
  const { items } = await held.list({ fieldSelector: `metadata.name=${lease.name}` });
  if (items[0]?.spec?.holderIdentity?.startsWith("a_") !== true) return;
  const renewTime = new Date(client.clock.now()).toISOString().replace("Z", "000Z");
  await held.patch(lease.name, { type: "merge", patch: { spec: { holderIdentity: "usurper", renewTime } } });
}

/** With the names of the buckets' owners, as uids differ between runs. */
async function cloudOutcome({ client }: TestCluster, cloud: Cloud): Promise<Outcome> {
  const { items } = await client.resource(buckets).list();
  const names = new Map(items.map(({ metadata }) => [metadata?.uid, metadata?.name]));
  const ownerOf = (tags: Tags) => tags[ownerTag] && (names.get(tags[ownerTag]) ?? "an owner that is gone");
  const outcomes = Array.from(cloud.buckets, ([name, { tags, keys }]) => {
    const { [ownerTag]: _, ...others } = tags;
    return [name, { tags: others, keys: [...keys], owner: ownerOf(tags) }];
  });
  return Object.fromEntries(outcomes);
}
