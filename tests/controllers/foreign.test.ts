/**
 * Kubernetes' own controllers with this API server: `KUBE_CONTROLLER_MANAGER=/path/to/kube-controller-manager`, or it is on
 * the PATH; skipped otherwise.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { type api, type Client, configMaps, deployments, namespaces, pods, type ResourceRef, replicaSets } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { startCommand } from "../conformance/command-under-test.ts";
import { simulateNodes } from "./simulated-node.ts";

const manager = process.env.KUBE_CONTROLLER_MANAGER ?? "kube-controller-manager";
const isThere = spawnSync(manager, ["--version"]).status === 0;
const skip = isThere ? false : "there is no kube-controller-manager";

const labels = { app: "web" };
const web = (image: string): api.appsV1.Deployment => ({
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
  },
});

const isDone = ({ metadata, status }: api.appsV1.Deployment): boolean =>
  status?.observedGeneration === metadata?.generation &&
  status?.updatedReplicas === 3 &&
  status.availableReplicas === 3 &&
  status.replicas === 3;

test("kube-controller-manager rolls out a Deployment, collects garbage and empties a Namespace", { skip, timeout: hangMs }, async () => {
  const command = await startCommand("--ephemeral");
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await using _ = await simulateNodes({ client, nodes: 2 });
  const flags = ["--kubeconfig", command.kubeconfig, "--authentication-kubeconfig", command.kubeconfig];
  const child = spawn(manager, [...flags, "--leader-elect", "--bind-address=127.0.0.1", "--secure-port=0"], { stdio: "ignore" });
  try {
    await rollsOut(client);
    await collectsGarbage(client);
    await emptiesNamespaces(client);
  } finally {
    child.kill();
    await once(child, "exit");
    await command.stop();
  }
});

const limits = { timeoutMs: hangMs };

async function rollsOut(client: Client): Promise<void> {
  const resource = client.resource(deployments);
  await resource.create(web("nginx:1"));
  await waitFor(client, { ref: deployments, target: "web", until: isDone }, limits);
  await resource.patch("web", { type: "merge", patch: { spec: web("nginx:2").spec ?? {} } });
  await waitFor(
    client,
    { ref: deployments, target: "web", until: (object) => object.metadata?.generation === 2 && isDone(object) },
    limits,
  );
  const images = (await client.resource(pods, "default").list()).items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  assert.deepEqual(new Set(images.map(({ spec }) => spec?.containers[0]?.image)), new Set(["nginx:2"]));
}

async function collectsGarbage(client: Client): Promise<void> {
  await client.resource(deployments).delete("web", { propagationPolicy: "Foreground" });
  await waitFor(client, { ref: deployments, target: "web", until: "delete" }, limits);
  const left = async (ref: ResourceRef) => (await client.resource(ref, "default").list()).items.length;
  assert.equal(await left(replicaSets), 0);
}

async function emptiesNamespaces(client: Client): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: "full" } });
  const resource = client.resource(configMaps, "full");
  await Promise.all(Array.from({ length: 20 }, (_, i) => resource.create({ metadata: { name: `c-${i}` } })));
  await client.resource(deployments, "full").create(web("nginx:1"));
  await waitFor(client, { ref: deployments, target: { namespace: "full", name: "web" }, until: isDone }, limits);
  await client.resource(namespaces).delete("full");
  await waitFor(client, { ref: namespaces, target: "full", until: "delete" }, limits);
  assert.deepEqual((await resource.list()).items, []);
}
