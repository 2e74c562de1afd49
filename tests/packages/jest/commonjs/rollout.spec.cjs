const { deployments, pods } = require("@coxswain/client");
const { startCluster, virtualClock } = require("coxswain/testing");

const web = (replicas) => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
});

describe("a rollout", () => {
  let cluster;
  let parts;
  beforeEach(async () => {
    cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
    parts = await cluster.run({ controllers: true, scheduler: true, nodes: 2 });
  });
  afterEach(async () => {
    await parts[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  test.each([1, 2, 5])("of %d Pods", async (replicas) => {
    await cluster.client.resource(deployments).create(web(replicas));
    await cluster.waitFor(deployments, "web", ({ status }) => status?.availableReplicas === replicas);
    const { items } = await cluster.client.resource(pods).list();
    expect(items.map(({ status }) => status?.phase)).toEqual(Array(replicas).fill("Running"));
  });
});
