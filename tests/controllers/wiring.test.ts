import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, configMaps, deployments, events, pods, replicaSets } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { builtInControllers, manageControllers } from "@coxswain/controllers";
import { hangMs } from "@coxswain/machinery/testing";
import { startCluster, virtualClock, waitFor } from "coxswain/testing";
import { startCommand } from "../conformance/command-under-test.ts";
import { until } from "../robustness/target.ts";
import { simulateNodes } from "./simulated-node.ts";

const labels = { app: "web" };
const web: api.appsV1.Deployment = {
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
};

const isAvailable = "condition=Available";

test("all controllers run together on a virtual clock, and write nothing in an hour without changes", async () => {
  const clock = virtualClock();
  await using cluster = await startCluster({ clock });
  const { client } = cluster;
  await using _ = await simulateNodes({ client, nodes: 2 });
  const stop = new AbortController();
  const manager = manageControllers(builtInControllers, { client, settings: {} });
  const run = manager.run(stop.signal);
  await client.resource(deployments).create(web);
  await cluster.advance({ minutes: 5 });
  await waitFor(client, { ref: deployments, target: "web", until: isAvailable }, { timeoutMs: hangMs });
  const version = async () => (await client.resource(pods).list()).items.map(({ metadata }) => metadata?.resourceVersion).sort();
  const before = await version();
  assert.equal(before.length, 3);
  const writes = () =>
    (manager.metrics.text().match(/^rest_client_requests_total\{.*method="(POST|PUT|PATCH|DELETE)".* \d+$/gm) ?? []).join("\n");
  const written = writes();
  await cluster.advance({ hours: 1 });
  assert.deepEqual(await version(), before);
  assert.equal(writes(), written);
  assert.deepEqual(manager.healthy(), { ok: true, problems: [], failing: [] });
  stop.abort();
  await cluster.advance({ minutes: 1 });
  await run;
});

test("the command runs the controllers beside the server, serves their metrics, and stops in order", { timeout: hangMs }, async () => {
  const command = await startCommand("--ephemeral", "--controllers=*");
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await using _ = await simulateNodes({ client });
  await client.resource(deployments).create(web);
  await waitFor(client, { ref: deployments, target: { namespace: "default", name: "web" }, until: isAvailable }, { timeoutMs: hangMs });
  const [replicaSet] = (await client.resource(replicaSets).list()).items;
  assert.deepEqual(
    [...new Set(replicaSet?.metadata?.managedFields?.map(({ manager }) => manager))],
    ["kube-controller-manager"],
    "managed fields name the writer that a cluster names",
  );
  const metrics = Buffer.from(await (await client.request({ method: "GET", path: "/metrics", headers: {} })).bytes()).toString();
  const health = await client.request({ method: "GET", path: "/healthz/controllers", headers: {} });
  assert.equal(Buffer.from(await health.bytes()).toString(), "ok");
  assert.match(metrics, /^workqueue_adds_total\{name="deployment-controller".*\} [1-9]/m);
  assert.match(metrics, /^apiserver_request_total\{/m);
  for (const event of ["deployment-controller ScalingReplicaSet", "replicaset-controller SuccessfulCreate"])
    await until(event, async () => {
      const { items } = await client.resource(events).list();
      return items.some(({ source, reason }) => `${source?.component} ${reason}` === event);
    });
  assert.equal(await command.stop(), 0);
  assert.doesNotMatch(command.log(), /"level":"(error|warn)"/);
});

test("the server does not start with a controller name that does not exist", async () => {
  await assert.rejects(
    startCommand("--ephemeral", "--controllers=*,-pods"),
    /ended with 1:\ncoxswain: "pods" is not in the list of known controllers\n/,
  );
});

test("with --apiserver-only no controller runs", { timeout: hangMs }, async () => {
  const command = await startCommand("--ephemeral");
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await client.resource(deployments).create(web);
  const metrics = Buffer.from(await (await client.request({ method: "GET", path: "/metrics", headers: {} })).bytes()).toString();
  assert.doesNotMatch(metrics, /workqueue_adds_total/);
  assert.deepEqual((await client.resource(replicaSets).list()).items, []);
  const trust = await client.resource(configMaps, "kube-system").get("extension-apiserver-authentication");
  assert.match(trust.data?.["client-ca-file"] ?? "", /^-----BEGIN CERTIFICATE-----\n/, "others can read the authority of clients");
  await command.stop();
});
