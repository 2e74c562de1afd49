/** The controllers of the examples converge with each fault at each step: of what they ask Kubernetes, and of what they ask the cloud. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments, isConditionTrue, sleep, startControllers } from "@coxswain/client";
import { type ClusterSnapshot, everyFaultAtEveryStep, startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { applies, writesReplicas, writesTeam } from "./06-two-controllers-one-object.ts";
import { bucketController, buckets } from "./support/bucket-controller.ts";
import { type Meddle, openCloud } from "./support/cloud.ts";
import { type Act, actor, createWeb } from "./support/two-controllers.ts";

const timeoutMs = 3_600_000;

const pairs: Readonly<Record<string, Readonly<Record<string, Act>>>> = {
  "two that update": { autoscaler: writesReplicas(5), labeler: writesTeam("shop") },
  "two that apply": {
    autoscaler: applies("autoscaler", { spec: { replicas: 5 } }),
    labeler: applies("labeler", { labels: { team: "shop" } }),
  },
};
for (const [name, acts] of Object.entries(pairs)) {
  test(`${name}: each fault at each step`, async () => {
    const { runs } = await everyFaultAtEveryStep({
      scenario: async ({ client, cluster }) => {
        await createWeb(cluster);
        const controllers = Object.entries(acts).map(([actorName, act]) => actor(actorName, act));
        await using _controllers = startControllers(controllers, { client });
        const isBoth = (web: { spec?: { replicas?: number }; metadata?: { labels?: Record<string, string> } }) =>
          web.spec?.replicas === 5 && web.metadata?.labels?.team === "shop";
        await cluster.waitFor(deployments, "web", isBoth, { timeoutMs });
        await sleep(cluster.clock, 60_000);
        await cluster.waitFor(deployments, "web", isBoth, { timeoutMs }); // and so it stays
      },
    });
    assert.ok(runs > 20, `${runs} runs`);
  });
}

const prepared = await (async (): Promise<ClusterSnapshot> => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await cluster.applyYaml({ files: [`${import.meta.dirname}/manifests/buckets.yaml`] });
  return cluster.snapshot();
})();

/** Makes a bucket, changes it, deletes it; and looks in the cloud each time. */
async function bucketsLife(cluster: TestCluster, meddle: Meddle): Promise<void> {
  const { s3 } = await openCloud(cluster.clock, meddle);
  await using _controllers = startControllers([bucketController(s3)], cluster);
  const objects = cluster.client.resource(buckets);
  const inLine = () => cluster.waitFor(buckets, "photos", (bucket) => isConditionTrue(bucket, "Ready"), { timeoutMs });
  await objects.create({ metadata: { name: "photos" }, spec: { bucketName: "photos" } });
  await inLine();
  await objects.patch("photos", { type: "merge", patch: { spec: { tags: { team: "web" } } } });
  await inLine();
  await objects.delete("photos");
  await cluster.waitFor(buckets, "photos", "delete", { timeoutMs });
}

const cloudFaults: Readonly<Record<string, Meddle>> = {
  "the request is lost": () => Promise.reject(new TypeError("fetch failed")),
  "the answer is lost": async (request, pass) => {
    await pass(request);
    throw new TypeError("fetch failed");
  },
  "the cloud is overloaded": async () => new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 }),
};

test("the bucket's controller: each fault of the cloud at each step", async () => {
  /** Every request goes to the cloud as it is, but for the nth. Resolves with how many there were, and what is left in the cloud. */
  const live = async (nth: number, fault: Meddle) => {
    await using cluster = await startCluster({ from: prepared });
    let [requests, kept] = [0, new Map<string, string>()];
    await bucketsLife(cluster, async (request, target) => {
      const pass = async (passed: Request) => {
        const answer = await target(passed);
        const { pathname, search } = new URL(passed.url);
        if (answer.ok && search === "" && passed.method === "PUT") kept.set(pathname, passed.method);
        if (answer.ok && passed.method === "DELETE") kept.delete(pathname);
        return answer;
      };
      return ++requests === nth ? fault(request, pass) : pass(request);
    });
    return { requests, left: [...kept.keys()] };
  };
  const calm = await live(0, () => assert.fail());
  assert.ok(calm.requests > 6, `${calm.requests} requests`);
  for (const [name, fault] of Object.entries(cloudFaults))
    for (let nth = 1; nth <= calm.requests; nth++) assert.deepEqual((await live(nth, fault)).left, [], `${name}, request ${nth}`);
});
