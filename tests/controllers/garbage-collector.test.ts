import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Client,
  configMaps,
  customResourceDefinitions,
  defineResource,
  events,
  isNotFound,
  type KubeObject,
  namespaces,
  type OwnerReference,
  type ResourceRef,
  secrets,
  sleep,
} from "@coxswain/client";
import { garbageCollectorController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario, startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

const refTo = (owner: KubeObject, kind: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind,
  name: owner.metadata?.name ?? "",
  uid: owner.metadata?.uid ?? "",
  ...more,
});

const owned = (client: Client, name: string, ownerReferences: OwnerReference[], ref: ResourceRef = secrets) =>
  client.resource(ref).create({ metadata: { name, ownerReferences } });

async function collecting(run: (cluster: TestCluster) => Promise<void>): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  await using _ = supervised([garbageCollectorController], { client: cluster.client, signal: new AbortController().signal });
  await run(cluster);
}

test("background deletion deletes dependents after their owner, and their dependents after them", () =>
  collecting(async (cluster) => {
    const { client } = cluster;
    const owner = await client.resource(configMaps).create({ metadata: { name: "o" } });
    const child = await owned(client, "c", [refTo(owner, "ConfigMap")]);
    await owned(client, "g", [refTo(child, "Secret")]);
    await client.resource(configMaps).delete("o", { propagationPolicy: "Background" });
    await cluster.waitFor(secrets, "c", "delete", { timeoutMs });
    await cluster.waitFor(secrets, "g", "delete", { timeoutMs });
  }));

test("foreground deletion keeps the owner until its dependents with blockOwnerDeletion are gone", () =>
  collecting(async (cluster) => {
    const { client } = cluster;
    const owner = await client.resource(configMaps).create({ metadata: { name: "o" } });
    const reference = refTo(owner, "ConfigMap", { blockOwnerDeletion: true });
    await client.resource(secrets).create({ metadata: { name: "held", ownerReferences: [reference], finalizers: ["x.io/held"] } });
    await owned(client, "free", [reference]);
    const marked = await client.resource(configMaps).delete("o", { propagationPolicy: "Foreground" });
    assert.deepEqual(marked?.metadata?.finalizers, ["foregroundDeletion"]);
    await cluster.waitFor(secrets, "free", "delete", { timeoutMs });
    await cluster.waitFor(secrets, "held", ({ metadata }) => metadata?.deletionTimestamp !== undefined, { timeoutMs });
    await client.resource(configMaps).get("o");
    await client.resource(secrets).patch("held", { type: "merge", patch: { metadata: { finalizers: null } } });
    await cluster.waitFor(configMaps, "o", "delete", { timeoutMs });
  }));

test("orphan deletion keeps the dependents and removes their owner reference", () =>
  collecting(async (cluster) => {
    const { client } = cluster;
    const owner = await client.resource(configMaps).create({ metadata: { name: "o" } });
    const other = await client.resource(configMaps).create({ metadata: { name: "p" } });
    await owned(client, "c", [refTo(owner, "ConfigMap"), refTo(other, "ConfigMap")]);
    await client.resource(configMaps).delete("o", { propagationPolicy: "Orphan" });
    await cluster.waitFor(configMaps, "o", "delete", { timeoutMs });
    assert.deepEqual((await client.resource(secrets).get("c")).metadata?.ownerReferences, [refTo(other, "ConfigMap")]);
  }));

test("a dependent with one owner left stays, and loses the references to the others", () =>
  collecting(async (cluster) => {
    const { client } = cluster;
    const [a, b] = await Promise.all(["a", "b"].map((name) => client.resource(configMaps).create({ metadata: { name } })));
    await owned(client, "c", [refTo(a ?? {}, "ConfigMap"), refTo(b ?? {}, "ConfigMap")]);
    await client.resource(configMaps).delete("a", { propagationPolicy: "Background" });
    await cluster.waitFor(secrets, "c", ({ metadata }) => metadata?.ownerReferences?.length === 1, { timeoutMs });
  }));

test("a dependent whose owner does not exist, or exists with another uid or in another namespace, is deleted; one whose owner cannot be verified stays", () =>
  collecting(async (cluster) => {
    const { client } = cluster;
    await client.resource(namespaces).create({ metadata: { name: "b" } });
    const far = await client.resource(configMaps, "b").create({ metadata: { name: "far" } });
    const near = await client.resource(configMaps).create({ metadata: { name: "near" } });
    await owned(client, "unknown-kind", [{ ...refTo(near, "Unknown"), apiVersion: "unknown.example/v1" }]);
    await owned(client, "wrong-uid", [refTo(near, "ConfigMap", { uid: "00000000-0000-4000-8000-000000000000" })]);
    await owned(client, "elsewhere", [refTo(far, "ConfigMap")]);
    await owned(client, "of-cluster", [refTo(await client.resource(namespaces).get("b"), "Namespace")]);
    await cluster.waitFor(secrets, "wrong-uid", "delete", { timeoutMs });
    await cluster.waitFor(secrets, "elsewhere", "delete", { timeoutMs });
    await client.resource(secrets).get("unknown-kind");
    await client.resource(secrets).get("of-cluster");
    const recorded = (await client.resource(events, "default").list()).items.map(({ reason, message }) => `${reason}: ${message}`);
    const owner = `[v1/ConfigMap, namespace: default, name: far, uid: ${far.metadata?.uid}]`;
    assert.deepEqual(recorded, [`OwnerRefInvalidNamespace: ownerRef ${owner} does not exist in namespace "default"`]);
  }));

const seats = defineResource({ group: "cinema.example", version: "v1", resource: "seats", kind: "Seat", namespaced: true });

const definition = (versions: Readonly<Record<string, boolean>>) => ({
  metadata: { name: "seats.cinema.example" },
  spec: {
    group: "cinema.example",
    scope: "Namespaced",
    names: { plural: "seats", singular: "seat", kind: "Seat", listKind: "SeatList" },
    versions: Object.entries(versions).map(([name, served]) => ({
      name,
      served,
      storage: name === "v1",
      schema: { openAPIV3Schema: { type: "object" } },
    })),
  },
});

async function define(cluster: TestCluster, versions: Readonly<Record<string, boolean>>): Promise<void> {
  await cluster.client.resource(customResourceDefinitions).create(definition(versions));
  await cluster.waitFor(
    customResourceDefinitions,
    "seats.cinema.example",
    ({ status }) => status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false,
    { timeoutMs },
  );
}

test("custom resources are owners and dependents once their definition is established", () =>
  collecting(async (cluster) => {
    const { client } = cluster;
    await define(cluster, { v1: true });
    const owner = await client.resource(seats).create({ metadata: { name: "row" } });
    const seat = { ...refTo(owner, "Seat"), apiVersion: "cinema.example/v1" };
    await owned(client, "a", [seat], seats);
    await owned(client, "ticket", [seat]);
    await client.resource(seats).delete("row", { propagationPolicy: "Background" });
    await cluster.waitFor(seats, "a", "delete", { timeoutMs });
    await cluster.waitFor(secrets, "ticket", "delete", { timeoutMs });

    const again = await client.resource(seats).create({ metadata: { name: "row" } });
    await owned(client, "b", [{ ...refTo(again, "Seat"), apiVersion: "cinema.example/v1" }], seats);
    await client.resource(seats).delete("row", { propagationPolicy: "Orphan" });
    await cluster.waitFor(seats, "row", "delete", { timeoutMs });
    assert.equal((await client.resource(seats).get("b")).metadata?.ownerReferences, undefined);
  }));

test("an existing owner that is referenced in a version that is not served keeps its dependents", () =>
  collecting(async (cluster) => {
    const { client } = cluster;
    await define(cluster, { v1: true, v1beta1: true });
    const owner = await client.resource(seats).create({ metadata: { name: "row" } });
    const reference = { ...refTo(owner, "Seat"), apiVersion: "cinema.example/v1beta1" };
    const serve = (v1beta1: boolean) =>
      client
        .resource(customResourceDefinitions)
        .patch("seats.cinema.example", { type: "merge", patch: { spec: definition({ v1: true, v1beta1 }).spec } });
    // The version is known by now, and goes.
    await owned(client, "before", [reference]);
    await sleep(cluster.clock, 60_000);
    await serve(false);
    await owned(client, "while", [reference]);
    await sleep(cluster.clock, 60_000);
    await serve(true);
    await owned(client, "after", [reference]);
    await sleep(cluster.clock, 60_000);
    for (const name of ["before", "while", "after"]) await client.resource(secrets).get(name);
    await client.resource(seats).delete("row", { propagationPolicy: "Background" });
    for (const name of ["before", "while", "after"]) await cluster.waitFor(secrets, name, "delete", { timeoutMs });
  }));

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([garbageCollectorController], { client, signal });
  const admin = cluster.client;
  const [back, fore, orphan] = await Promise.all(
    ["back", "fore", "orphan"].map((name) => admin.resource(configMaps).create({ metadata: { name } })),
  );
  await owned(admin, "b", [refTo(back ?? {}, "ConfigMap")]);
  await owned(admin, "f", [refTo(fore ?? {}, "ConfigMap", { blockOwnerDeletion: true })]);
  await owned(admin, "o", [refTo(orphan ?? {}, "ConfigMap")]);
  await owned(admin, "n", [refTo(orphan ?? {}, "ConfigMap", { uid: "00000000-0000-4000-8000-000000000000" })]);
  await admin.resource(configMaps).delete("back", { propagationPolicy: "Background" });
  await admin.resource(configMaps).delete("fore", { propagationPolicy: "Foreground" });
  await admin.resource(configMaps).delete("orphan", { propagationPolicy: "Orphan" });
  for (const name of ["fore", "orphan"]) await cluster.waitFor(configMaps, name, "delete", { timeoutMs });
  for (const name of ["b", "f", "n"]) await cluster.waitFor(secrets, name, "delete", { timeoutMs });
  await cluster.waitFor(secrets, "o", ({ metadata }) => metadata?.ownerReferences === undefined, { timeoutMs });
  await assert.rejects(admin.resource(configMaps).get("back"), isNotFound);
};

test("the garbage collector reaches the same state under injected faults", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  assert.ok(runs > fewestRuns(100), `${runs} runs`);
});
