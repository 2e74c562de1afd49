/** What a user's test may look like: the parts of a cluster in virtual time, in parallel with the same in other workers. */
import { type api, deployments, pods } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";
import { describe, expect, test } from "vitest";

const web = (replicas: number): api.appsV1.Deployment => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
});

describe("a rollout", () => {
  test.each([1, 2, 5])("of several Pods", async (replicas) => {
    await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
    await using _parts = await cluster.run({ controllers: true, scheduler: true, nodes: 2 });
    await cluster.client.resource(deployments).create(web(replicas));
    await cluster.waitFor(deployments, "web", ({ status }) => status?.availableReplicas === replicas);
    const { items } = await cluster.client.resource(pods).list();
    expect(items.map(({ status }) => status?.phase)).toEqual(Array(replicas).fill("Running"));
  });
});
