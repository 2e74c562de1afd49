/**
 * What the built-in controllers cost, with the server in one process and simulated nodes in another: 1,000 Deployments
 * of 10 Pods, one Deployment of 5,000 Pods that is rolled, a Namespace of 10,000 objects that is deleted, and what all of
 * that costs when nothing happens. One JSON line each; the argument scales everything down: 0.1 is a tenth.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type api, type Client, configMaps, deployments, namespaces, systemClock } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { waitFor } from "coxswain/testing";
import { startCommand } from "../tests/conformance/command-under-test.ts";
import { residentMegabytes, secondsOfCpu } from "./load.ts";

type Deployment = api.appsV1.Deployment;

const scale = Number(process.argv[2] ?? 1);
const scaled = (count: number): number => Math.max(1, Math.round(count * scale));
const timeoutMs = 1_200_000;

const command = await startCommand("--ephemeral", "--controllers=*", "--log-level=warn");
const client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
const nodes = spawn(process.execPath, [join(import.meta.dirname, "simulated-nodes.ts"), command.kubeconfig], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  await once(nodes.stdout, "data");
  await manyDeployments(scaled(1_000));
  await idle("with these Pods");
  await rollOne(scaled(5_000));
  await deleteNamespace(scaled(10_000));
} finally {
  nodes.kill();
  await client[Symbol.asyncDispose]();
  await command.stop();
  process.stdout.write(command.log().slice(0, 5_000));
}

async function manyDeployments(count: number): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: "many" } });
  const resource = client.resource(deployments, "many");
  await measured("Deployments of 10 Pods settle", { deployments: count, pods: 10 * count }, async () => {
    const settled = countSettled(client, "many", count);
    await inParallel(count, 20, async (i) => void (await resource.create(deployment(`web-${i}`, 10))));
    await settled;
  });
}

async function rollOne(replicas: number): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: "one" } });
  const resource = client.resource(deployments, "one");
  const wait = () => waitFor(client, { ref: deployments, target: { namespace: "one", name: "big" }, until: isSettled }, { timeoutMs });
  await measured("one Deployment settles", { pods: replicas }, async () => {
    await resource.create(deployment("big", replicas));
    await wait();
  });
  await measured("one Deployment rolls", { pods: replicas }, async () => {
    const containers = [{ name: "web", image: "nginx:2" }];
    await resource.patch("big", { type: "strategic", patch: { spec: { template: { spec: { containers } } } } });
    await wait();
  });
}

async function deleteNamespace(objects: number): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: "full" } });
  const resource = client.resource(configMaps, "full");
  await inParallel(objects, 50, async (i) => void (await resource.create({ metadata: { name: `c-${i}` }, data: { i: String(i) } })));
  await measured("a Namespace is deleted", { objects }, async () => {
    await client.resource(namespaces).delete("full");
    await waitFor(client, { ref: namespaces, target: "full", until: "delete" }, { timeoutMs });
  });
}

async function idle(what: string): Promise<void> {
  await rest(10_000);
  const before = secondsOfCpu(command.process.pid);
  await rest(20_000);
  const cpuPercent = round(((secondsOfCpu(command.process.pid) - before) / 20) * 100);
  print({ name: `idle ${what}`, cpuPercent, residentMb: residentMegabytes(command.process.pid) });
}

async function measured(name: string, facts: object, work: () => Promise<void>): Promise<void> {
  const before = secondsOfCpu(command.process.pid);
  const startedAt = performance.now();
  await work();
  const seconds = round((performance.now() - startedAt) / 1000);
  const cpuSeconds = round(secondsOfCpu(command.process.pid) - before);
  print({ name, ...facts, seconds, cpuSeconds, residentMb: residentMegabytes(command.process.pid) });
}

function deployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1" }] } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

function isSettled({ metadata, spec, status }: Deployment): boolean {
  const { updatedReplicas, availableReplicas, replicas, observedGeneration } = status ?? {};
  const all = [updatedReplicas, availableReplicas, replicas].every((count) => count === spec?.replicas);
  return all && observedGeneration === metadata?.generation;
}

/** Resolves once so many Deployments of the namespace have all their Pods. */
async function countSettled(client: Client, namespace: string, count: number): Promise<void> {
  const settled = new Set<string>();
  for await (const event of client.resource(deployments, namespace).watch()) {
    if (event.type === "BOOKMARK") continue;
    for (const object of event.type === "LISTED" ? event.items : [event.object])
      if (isSettled(object)) settled.add(object.metadata?.name ?? "");
    if (settled.size >= count) return;
  }
}

async function inParallel(count: number, workers: number, run: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await run(i);
  };
  await Promise.all(Array.from({ length: workers }, work));
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.schedule(ms, resolve));
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
