import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, endpointSlices, endpoints, isNotFound, nodes, pods, services, sleep } from "@coxswain/client";
import { endpointSliceController, endpointSliceMirroringController, endpointsController } from "@coxswain/controllers";
import { waitUntil } from "@coxswain/machinery/testing";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

async function startPod(client: Client, name: string, ip: string, ready: boolean): Promise<void> {
  const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }] };
  await client.resource(pods).create({ metadata: { name, labels: { app: "web" } }, spec });
  await setReady(client, name, ip, ready);
}

const setReady = (client: Client, name: string, ip: string, ready: boolean): Promise<unknown> => {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: "2026-01-01T00:10:00Z" }];
  const status = { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions };
  return client.resource(pods).patch(name, { type: "merge", patch: { status } }, { subresource: "status" });
};

type Slice = {
  metadata?: { labels?: Record<string, string> };
  endpoints?: readonly { addresses: readonly string[]; conditions?: { ready?: boolean } }[];
};
const readyIn = ({ endpoints: all }: Slice): string =>
  (all ?? [])
    .filter(({ conditions }) => conditions?.ready === true)
    .flatMap(({ addresses }) => addresses)
    .sort()
    .join(" ");
const readyAddresses = ({ subsets }: { subsets?: readonly { addresses?: readonly { ip: string }[] }[] }): string =>
  (subsets ?? [])
    .flatMap(({ addresses }) => addresses ?? [])
    .map(({ ip }) => ip)
    .join(" ");

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([endpointSliceController, endpointsController], { client, signal });
  const admin = cluster.client;
  await admin.resource(nodes).create({ metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "z1" } } });
  const ports = [{ name: "http", port: 80, targetPort: 8080 }];
  await admin.resource(services).create({ metadata: { name: "web" }, spec: { selector: { app: "web" }, ports } });
  await startPod(admin, "web-1", "10.1.0.1", true);
  await startPod(admin, "web-2", "10.1.0.2", false);
  await cluster.waitFor(endpoints, "web", (one) => readyAddresses(one) === "10.1.0.1", { timeoutMs });
  await setReady(admin, "web-2", "10.1.0.2", true);
  await cluster.waitFor(endpoints, "web", (one) => readyAddresses(one) === "10.1.0.1 10.1.0.2", { timeoutMs });
  const slices = async () => (await admin.resource(endpointSlices).list({ labelSelector: "kubernetes.io/service-name=web" })).items;
  const name = (await slices())[0]?.metadata?.name ?? "";
  await cluster.waitFor(endpointSlices, name, (slice) => readyIn(slice) === "10.1.0.1 10.1.0.2", { timeoutMs });
  await admin.resource(pods).delete("web-1", { gracePeriodSeconds: 0 });
  await cluster.waitFor(endpointSlices, name, (slice) => readyIn(slice) === "10.1.0.2", { timeoutMs });
  assert.deepEqual((await slices()).length, 1, "nothing was created twice");
  await admin.resource(services).delete("web");
  await cluster.waitFor(endpoints, "web", "delete", { timeoutMs });
  await assert.rejects(admin.resource(services).get("web"), isNotFound);
};

test("Endpoints and EndpointSlices follow the Pods of a Service under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(30), `${runs} runs`);
});

const mirroring: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([endpointSliceMirroringController], { client, signal });
  const admin = cluster.client;
  const subsets = (ip: string) => [{ addresses: [{ ip }], ports: [{ port: 80, protocol: "TCP" }] }];
  await admin.resource(services).create({ metadata: { name: "db" }, spec: { ports: [{ port: 80 }] } });
  await admin.resource(endpoints).create({ metadata: { name: "db" }, subsets: subsets("192.168.0.1") });
  const slices = async () => (await admin.resource(endpointSlices).list({ labelSelector: "kubernetes.io/service-name=db" })).items;
  await waitUntil("a mirrored slice", async () => (await slices()).length > 0, { pause: () => sleep(admin.clock, 1000, signal) });
  const name = (await slices())[0]?.metadata?.name ?? "";
  await admin.resource(endpoints).patch("db", { type: "merge", patch: { subsets: subsets("192.168.0.2") } });
  await cluster.waitFor(endpointSlices, name, (slice) => readyIn(slice) === "192.168.0.2", { timeoutMs });
  assert.equal((await slices()).length, 1, "nothing was created twice");
  await admin.resource(services).patch("db", { type: "merge", patch: { spec: { selector: { app: "db" } } } });
  await cluster.waitFor(endpointSlices, name, "delete", { timeoutMs });
};

test("Endpoints without a selector are mirrored while they exist under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario: mirroring, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(10), `${runs} runs`);
});
