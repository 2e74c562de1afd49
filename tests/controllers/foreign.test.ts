/**
 * Kubernetes' own controllers with this API server: `KUBE_CONTROLLER_MANAGER=/path/to/kube-controller-manager`, or it is on
 * the PATH; skipped otherwise.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { type api, type Client, configMaps, deployments, leases, namespaces, pods, type ResourceRef, replicaSets } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { startControllersProcess } from "./second-process.ts";
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
  const child = spawn(manager, [...managerFlags(command), "--leader-elect"], { stdio: "ignore" });
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

test("kube-controller-manager and coxswain controllers take over from each other", { skip, timeout: hangMs }, async () => {
  const command = await startCommand("--ephemeral");
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await using _ = await simulateNodes({ client, nodes: 2 });
  const flags = [
    "--leader-elect",
    "--leader-elect-lease-duration=4s",
    "--leader-elect-renew-deadline=3s",
    "--leader-elect-retry-period=1s",
  ];
  const holder = async () => (await client.resource(leases, "kube-system").get("kube-controller-manager")).spec?.holderIdentity;
  const led = (from: string | undefined) =>
    waitUntil("another to lead", async () => ![undefined, "", from].includes(await holder().catch(() => undefined)));
  const scaled = async (replicas: number) => {
    await client.resource(deployments).patch("web", { type: "merge", patch: { spec: { replicas } } });
    await waitFor(client, { ref: deployments, target: "web", until: ({ status }) => status?.availableReplicas === replicas }, limits);
    const { items } = await client.resource(pods, "default").list();
    assert.equal(items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined).length, replicas);
  };
  let original: ChildProcess | undefined;
  try {
    await using own = startControllersProcess(command.kubeconfig, ...flags);
    await led(undefined);
    original = spawn(manager, [...managerFlags(command), ...flags], { stdio: "ignore" });
    await client.resource(deployments).create(web("nginx:1"));
    const first = await holder();
    await scaled(2);
    assert.equal(await holder(), first);

    await own.end("SIGKILL");
    await led(first);
    await scaled(5);

    const second = await holder();
    await using successor = startControllersProcess(command.kubeconfig, ...flags);
    await scaled(4);
    assert.equal(await holder(), second);
    original.kill("SIGKILL");
    await led(second);
    await scaled(6);
    await successor.end("SIGTERM");
  } finally {
    original?.kill("SIGKILL");
    await command.stop();
  }
});

const managerFlags = ({ kubeconfig }: CommandUnderTest): string[] => [
  ...["--kubeconfig", kubeconfig, "--authentication-kubeconfig", kubeconfig],
  ...["--bind-address=127.0.0.1", "--secure-port=0"],
];

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
