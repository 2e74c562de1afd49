import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Client,
  events,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  sleep,
  startControllers,
  storageClasses,
  volumeAttributesClasses,
} from "@coxswain/client";
import {
  claimProtectionController,
  persistentVolumeBinderController,
  volumeAttributesClassProtectionController,
  volumeProtectionController,
} from "@coxswain/controllers";
import { everyFaultAtEveryStep, FaultScript, type Scenario, startCluster, virtualClock } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;
const controllers = [
  persistentVolumeBinderController,
  claimProtectionController,
  volumeProtectionController,
  volumeAttributesClassProtectionController,
];

const createVolume = (client: Client, name: string, storage: string, more: object = {}) =>
  client.resource(persistentVolumes).create({
    metadata: { name },
    spec: { capacity: { storage }, accessModes: ["ReadWriteOnce"], nfs: { server: "s", path: "/" }, storageClassName: "", ...more },
  });
const createClaim = (client: Client, name: string, more: object = {}) =>
  client.resource(persistentVolumeClaims).create({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "", ...more },
  });

test("a claim whose volume the watch does not show yet is not marked Lost", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client, clock } = cluster;
  const faults = new FaultScript();
  const theirs = cluster.clientFor({ name: "binder" }, { faults });
  await using running = startControllers(persistentVolumeBinderController.make({ client: theirs, settings: {} }), { client: theirs });
  await running.ready;
  assert.ok(faults.strike({ kind: "delay-events", ms: 5_000 }, { resource: "persistentvolumes" }) > 0);
  const metadata = { name: "c", annotations: { "pv.kubernetes.io/bind-completed": "yes" } };
  await createVolume(client, "restored", "1Gi");
  const spec = {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    storageClassName: "",
    volumeName: "restored",
  };
  await client.resource(persistentVolumeClaims).create({ metadata, spec });
  await sleep(clock, 1_000);
  assert.notEqual((await client.resource(persistentVolumeClaims).get("c")).status?.phase, "Lost");
  await cluster.waitFor(persistentVolumeClaims, "c", ({ status }) => status?.phase === "Bound", { timeoutMs });
  assert.deepEqual((await client.resource(events).list()).items, []);
});

test("a terminating Pod that waits for its own claims does not protect them", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client } = cluster;
  await using running = startControllers(claimProtectionController.make({ client, settings: {} }), { client });
  await running.ready;
  const volumeClaimTemplate = { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
  const pod = await client.resource(pods).create({
    metadata: { name: "p", finalizers: ["x.io/until-claims-are-gone"] },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", ephemeral: { volumeClaimTemplate } }] },
  });
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: pod.metadata?.uid ?? "", controller: true };
  await client.resource(persistentVolumeClaims).create({ metadata: { name: "p-v", ownerReferences: [owner] }, ...volumeClaimTemplate });
  await cluster.waitFor(persistentVolumeClaims, "p-v", ({ metadata }) => (metadata?.finalizers ?? []).length > 0, { timeoutMs });
  await client.resource(persistentVolumeClaims).delete("p-v");
  await sleep(cluster.clock, 10_000);
  await client.resource(persistentVolumeClaims).get("p-v");
  await client.resource(pods).delete("p", { gracePeriodSeconds: 0 });
  await cluster.waitFor(persistentVolumeClaims, "p-v", "delete", { timeoutMs });
});

test("a claim is bound to the smallest volume, is protected while a Pod uses it, and leaves the volume Released", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client } = cluster;
  await using _ = supervised(controllers, { client, signal: new AbortController().signal });
  await createVolume(client, "large", "5Gi");
  await createVolume(client, "small", "2Gi", { persistentVolumeReclaimPolicy: "Delete" });
  for (const name of ["large", "small"])
    await cluster.waitFor(persistentVolumes, name, ({ status }) => status?.phase === "Available", { timeoutMs });
  await createClaim(client, "c");
  const claim = await cluster.waitFor(persistentVolumeClaims, "c", ({ status }) => status?.phase === "Bound", { timeoutMs });
  assert.equal(claim.spec?.volumeName, "small");
  assert.deepEqual(claim.status, { accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" }, phase: "Bound" });
  await cluster.waitFor(persistentVolumes, "small", ({ status }) => status?.phase === "Bound", { timeoutMs });

  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
  await client
    .resource(pods)
    .create({ metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], volumes } });
  await client.resource(persistentVolumes).delete("small");
  await client.resource(persistentVolumeClaims).delete("c");
  await cluster.advance({ minutes: 5 });
  assert.deepEqual((await client.resource(persistentVolumeClaims).get("c")).metadata?.finalizers, ["kubernetes.io/pvc-protection"]);
  await client.resource(pods).delete("p", { gracePeriodSeconds: 0 });
  await cluster.waitFor(persistentVolumeClaims, "c", "delete", { timeoutMs });
  await cluster.waitFor(persistentVolumes, "small", "delete", { timeoutMs });
});

test("a VolumeAttributesClass is protected until no claim has it or changes to it", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client } = cluster;
  await using _ = supervised(controllers, { client, signal: new AbortController().signal });
  const classes = client.resource(volumeAttributesClasses);
  for (const name of ["unused", "silver"]) await classes.create({ metadata: { name }, driverName: "d", parameters: { iops: "1" } });
  assert.deepEqual((await classes.get("silver")).metadata?.finalizers, ["kubernetes.io/vac-protection"]);
  await createClaim(client, "c", { volumeAttributesClassName: "silver" });
  await classes.delete("unused");
  await cluster.waitFor(volumeAttributesClasses, "unused", "delete", { timeoutMs });
  await classes.delete("silver");
  await cluster.advance({ minutes: 5 });
  assert.deepEqual((await classes.get("silver")).metadata?.finalizers, ["kubernetes.io/vac-protection"]);
  await client.resource(persistentVolumeClaims).delete("c");
  await cluster.waitFor(volumeAttributesClasses, "silver", "delete", { timeoutMs });
});

test("a pending claim gets events with the reason", async () => {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client } = cluster;
  await using _ = supervised(controllers, { client, signal: new AbortController().signal });
  await client.resource(storageClasses).create({ metadata: { name: "gold" }, provisioner: "x.io/p" });
  await client
    .resource(storageClasses)
    .create({ metadata: { name: "later" }, provisioner: "x.io/p", volumeBindingMode: "WaitForFirstConsumer" });
  await createClaim(client, "provisioned", { storageClassName: "gold" });
  await createClaim(client, "delayed", { storageClassName: "later" });
  await createClaim(client, "missing", { storageClassName: "unknown" });
  await createClaim(client, "none");
  const claim = await cluster.waitFor(
    persistentVolumeClaims,
    "provisioned",
    ({ metadata }) => metadata?.annotations?.["volume.kubernetes.io/storage-provisioner"] === "x.io/p",
    { timeoutMs },
  );
  assert.equal(claim.metadata?.annotations?.["volume.beta.kubernetes.io/storage-provisioner"], "x.io/p");
  await cluster.advance({ seconds: 5 });
  const recorded = (await client.resource(events).list()).items.map(
    ({ involvedObject, type, reason }) => `${involvedObject.name} ${type} ${reason}`,
  );
  assert.deepEqual(recorded.sort(), [
    "delayed Normal WaitForFirstConsumer",
    "missing Warning ProvisioningFailed",
    "none Normal FailedBinding",
    "provisioned Normal ExternalProvisioning",
  ]);
});

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised(controllers, { client, signal });
  const admin = cluster.client;
  const bound = async (name: string) => {
    const claim = await cluster.waitFor(persistentVolumeClaims, name, ({ status }) => status?.phase === "Bound", { timeoutMs });
    const volumeName = claim.spec?.volumeName ?? "";
    const volume = await cluster.waitFor(persistentVolumes, volumeName, ({ status }) => status?.phase === "Bound", { timeoutMs });
    assert.equal(volume.spec?.claimRef?.uid, claim.metadata?.uid);
    return volumeName;
  };
  await createVolume(admin, "a", "1Gi");
  await createVolume(admin, "b", "1Gi", { persistentVolumeReclaimPolicy: "Delete" });
  await createClaim(admin, "one");
  await createClaim(admin, "two");
  const names = [await bound("one"), await bound("two")];
  assert.deepEqual(names.sort(), ["a", "b"]);
  for (const name of ["one", "two"]) await admin.resource(persistentVolumeClaims).delete(name);
  for (const name of ["one", "two"]) await cluster.waitFor(persistentVolumeClaims, name, "delete", { timeoutMs });
  await cluster.waitFor(persistentVolumes, "a", ({ status }) => status?.phase === "Released", { timeoutMs });
  await cluster.waitFor(persistentVolumes, "b", ({ status }) => status?.phase === "Failed", { timeoutMs });
  await admin.resource(persistentVolumes).delete("a");
  await cluster.waitFor(persistentVolumes, "a", "delete", { timeoutMs });
};

test("claims and volumes are bound and released under injected faults", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  assert.ok(runs > fewestRuns(50), `${runs} runs`);
});
