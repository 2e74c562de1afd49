/**
 * A controller that keeps buckets in a cloud in line with Bucket objects (support/bucket-controller.ts). The cloud is a
 * stand-in that speaks S3's protocol; with S3_ENDPOINT and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION it is a real one.
 */
import { conditionOf, sleep, startControllers } from "@coxswain/client";
import { type Bucket, bucketController, buckets, ownerTag } from "./support/bucket-controller.ts";
import { cloudIsReal, openCloud } from "./support/cloud.ts";
import { exampleCluster } from "./support/cluster.ts";

await using cluster = await exampleCluster({ realTime: cloudIsReal() });
await cluster.applyYaml({ files: [`${import.meta.dirname}/manifests/buckets.yaml`] });
const cloud = await openCloud(cluster.clock);
await using _controllers = startControllers([bucketController(cloud.s3, cloud)], cluster);

const objects = cluster.client.resource(buckets);
const create = (name: string, spec: Partial<Bucket["spec"]> = {}) =>
  objects.create({ metadata: { name }, spec: { bucketName: cloud.nameOf(name), ...spec } });
const ready = (bucket: Bucket) => conditionOf(bucket, "Ready");
const isInLine = (bucket: Bucket) => ready(bucket)?.status === "True" && bucket.status?.observedGeneration === bucket.metadata?.generation;
const refusedWith = (reason: string) => (bucket: Bucket) => ready(bucket)?.reason === reason;
const inCloud = async (name: string) => {
  const { [ownerTag]: owner, ...tags } = (await cloud.s3.tagsOf(cloud.nameOf(name))) ?? {};
  return owner === undefined ? "nothing of ours" : `a bucket of ours with the tags ${JSON.stringify(tags)}`;
};

// 1. An object says what is wanted; the controller makes it so, and says in the status that it has.
await create("photos", { tags: { team: "web" } });
const photos = await cluster.waitFor(buckets, "photos", isInLine);
console.log(`1. photos is ${ready(photos)?.reason}, held by ${photos.metadata?.finalizers}; in the cloud: ${await inCloud("photos")}`);

// 2. A bucket is changed in the cloud, which sends no event. The controller reads it again from time to time.
await cloud.s3.setTags(cloud.nameOf("photos"), { [ownerTag]: photos.metadata?.uid ?? "", team: "mine-now" });
console.log(`2. meddled with: ${await inCloud("photos")}`);
await sleep(cluster.clock, cloud.resyncMs * 1.5);
console.log(`   and later: ${await inCloud("photos")}`);

// 3. The cloud is down while the object changes. Each attempt waits twice as long as the one before.
const attempts = cloud.failNext(5, "SlowDown");
await objects.patch("photos", { type: "merge", patch: { spec: { tags: { team: "shop" } } } });
await cluster.waitFor(buckets, "photos", isInLine);
console.log(
  `3. down, so asked again after ${attempts
    .map((at, i) => at - (attempts[i - 1] ?? at))
    .slice(1)
    .join(", ")} ms; then: ${await inCloud("photos")}`,
);

// 4. What was there before is not taken, unless the object says so.
await cloud.s3.createBucket(cloud.nameOf("legacy"));
await create("legacy");
console.log(`4. legacy is ${ready(await cluster.waitFor(buckets, "legacy", refusedWith("NotOurs")))?.reason}: ${await inCloud("legacy")}`);
await objects.patch("legacy", { type: "merge", patch: { spec: { adopt: true } } });
await cluster.waitFor(buckets, "legacy", isInLine);
console.log(`   adopted: ${await inCloud("legacy")}`);

// 5. An object that is deleted stays until its bucket is gone, and a bucket with something in it does not go.
await cloud.s3.putObject(cloud.nameOf("photos"), "cat.jpg", "meow");
await objects.delete("photos");
const held = await cluster.waitFor(buckets, "photos", refusedWith("BucketNotEmpty"));
console.log(`5. deleted, but ${ready(held)?.reason}: ${await inCloud("photos")}`);
await cloud.s3.deleteObject(cloud.nameOf("photos"), "cat.jpg");
await cluster.waitFor(buckets, "photos", "delete");
console.log(`   emptied: the object is gone, and in the cloud there is ${await inCloud("photos")}`);

await objects.delete("legacy");
await cluster.waitFor(buckets, "legacy", "delete");
