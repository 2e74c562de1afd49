import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type api, deployments, pods } from "@coxswain/client";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";

const web = (replicas: number): api.appsV1.Deployment => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
});

// Without `using`, which Node 22 cannot read.
describe("a rollout", () => {
  let cluster: TestCluster;
  let parts: AsyncDisposable;
  beforeEach(async () => {
    cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
    parts = await cluster.run({ controllers: true, scheduler: true, nodes: 2 });
  });
  afterEach(async () => {
    await parts[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  for (const replicas of [1, 2, 5])
    test(`of ${replicas} Pods`, async () => {
      await cluster.client.resource(deployments).create(web(replicas));
      await cluster.waitFor(deployments, "web", ({ status }) => status?.availableReplicas === replicas);
      const { items } = await cluster.client.resource(pods).list();
      assert.deepEqual(
        items.map(({ status }) => status?.phase),
        Array(replicas).fill("Running"),
      );
    });
});
