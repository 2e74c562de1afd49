import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments, pods } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

const labels = { app: "web" };
const web = {
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 4,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
  },
};

test("a whole cluster heals itself in virtual time", async () => {
  const clock = virtualClock({ autoAdvance: true });
  await using cluster = await startCluster({ clock });
  await using parts = await cluster.run({
    controllers: true,
    scheduler: true,
    nodes: 2,
    images: { "web:*": { run: ({ attempt }) => (attempt === 0 ? { runMs: 60_000, exitCode: 1 } : {}) } },
  });
  await cluster.client.resource(deployments).create(web);
  await cluster.waitFor(deployments, "web", ({ status }) => status?.availableReplicas === 4);
  const begun = clock.now();
  const all = await cluster.client.resource(pods).list();
  assert.deepEqual(new Set(all.items.map(({ spec }) => spec?.nodeName)), new Set(["node-1", "node-2"]));
  const [first] = all.items;
  const { namespace = "", name = "" } = first?.metadata ?? {};
  assert.equal(parts.explain(namespace, name)?.attempts[0]?.node, first?.spec?.nodeName);
  await cluster.waitFor(pods, name, ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1 && status.phase === "Running", {
    timeoutMs: 300_000,
  });
  assert.ok(clock.now() - begun >= 50_000, "a minute has passed without a wait");
});
