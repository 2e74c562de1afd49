/** The matchers and the clusters of `coxswain/testing/jest`, in Jest. */
import { configMaps, deployments, nodes, pods } from "@coxswain/client";
import { useCluster, virtualClock } from "coxswain/testing/jest";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
const web = { metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template } };

describe("a cluster for the file", () => {
  const cluster = useCluster({
    clock: () => virtualClock({ autoAdvance: true }),
    setup: (started) => started.run({ controllers: true, scheduler: true, nodes: 1 }),
  });

  test.each([1, 2])("has a namespace for each test: %d", async () => {
    await cluster.client.resource(deployments).create(web);
    await expect(cluster.object(deployments, "web")).toEventuallyBeReady();
    await expect(cluster.object(deployments, "web")).toEventuallyHaveCondition("Available", { reason: "MinimumReplicasAvailable" });
    const { items } = await cluster.client.resource(pods, cluster.namespace).list();
    for (const pod of items) expect(pod).toBeReady();
    expect(await cluster.client.resource(nodes).get("node-1")).not.toHaveCondition("MemoryPressure");
  });
});

describe("a cluster for each test", () => {
  const cluster = useCluster({ per: "test" });
  const maps = () => cluster.client.resource(configMaps);

  test.each([1, 2])("begins empty: %d", async () => {
    const read = await maps().create({ metadata: { name: "app" } });
    await maps().update({ ...read, data: { n: "1" } });
    await expect(maps().update({ ...read, data: { n: "2" } })).rejects.toBeConflict();
    await expect(maps().get("none")).rejects.toBeNotFound();
    await expect(maps().get("none")).rejects.not.toBeConflict();
  });

  test("a matcher that fails says what there is", async () => {
    const node = await cluster.client.resource(nodes).create({ metadata: { name: "one" } });
    expect(() => expect(node).toHaveCondition("Ready")).toThrow("expected Node one to have the condition Ready=True\nit has no conditions");
    const never = expect(cluster.object(nodes, "none")).toEventuallyExist({ timeoutMs: 10 });
    await expect(never).rejects.toThrow("it did not exist within 10 ms");
  });

  // What Jest gives up does not keep its worker.
  test.failing("that never ends is left behind", async () => {
    await cluster.waitFor(configMaps, "never", "create", { timeoutMs: 3_600_000 });
  }, 300);
});
