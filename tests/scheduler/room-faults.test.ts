/** Claims that wait for their first consumer, and Pods that take others' places, whatever fails whenever. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { persistentVolumeClaims, persistentVolumes, pods, priorityClasses, storageClasses } from "@coxswain/client";
import { persistentVolumeBinderController } from "@coxswain/controllers";
import { createScheduler, defaultProfile } from "@coxswain/scheduler";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults } from "../controllers/fault-choice.ts";
import { supervised } from "../controllers/supervised.ts";
import { addNode, pod, timeoutMs } from "./scheduler-under-test.ts";

const builtIn = { name: "scheduler", make: () => [createScheduler({ profiles: [defaultProfile()] })] };

/** The faults befall the scheduler; the volume controller works beside it. */
const claims: Scenario = async ({ client, cluster, signal }) => {
  const admin = cluster.client;
  await using _ = supervised([persistentVolumeBinderController], { client: cluster.clientFor({ name: "controllers" }), signal });
  await using __ = supervised([builtIn], { client, signal, user: "system:kube-scheduler" });
  const binding = { volumeBindingMode: "WaitForFirstConsumer" };
  await admin.resource(storageClasses).create({ metadata: { name: "local" }, provisioner: "kubernetes.io/no-provisioner", ...binding });
  for (const name of ["a", "b"]) {
    await addNode(admin, name);
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [name] }] }] };
    await admin.resource(persistentVolumes).create({
      metadata: { name: `on-${name}` },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "local",
        local: { path: "/data" },
        nodeAffinity: { required },
      },
    });
    await cluster.waitFor(persistentVolumes, `on-${name}`, ({ status }) => status?.phase === "Available", { timeoutMs });
  }
  const names = ["one", "two"];
  for (const name of names) {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "local" };
    await admin.resource(persistentVolumeClaims).create({ metadata: { name }, spec });
    await admin.resource(pods).create(pod(name, "100m", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: name } }] }));
  }
  for (const name of names) {
    const { spec } = await cluster.waitFor(pods, name, (one) => (one.spec?.nodeName ?? "") !== "", { timeoutMs });
    const claim = await cluster.waitFor(persistentVolumeClaims, name, ({ status }) => status?.phase === "Bound", { timeoutMs });
    assert.equal(claim.spec?.volumeName, `on-${spec?.nodeName}`);
  }
};

test("Pods and their volumes come together", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario: claims, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
});

/** Two are preempted for the one that is added, and no others. */
const places: Scenario = async ({ client, cluster, signal }) => {
  const admin = cluster.client;
  const resource = admin.resource(pods);
  const placed = (name: string) => cluster.waitFor(pods, name, ({ spec }) => (spec?.nodeName ?? "") !== "", { timeoutMs });
  await admin.resource(priorityClasses).create({ metadata: { name: "high" }, value: 1000 });
  await addNode(admin, "a", "2");
  await addNode(admin, "b", "1");
  await using _ = supervised([builtIn], { client, signal, user: "system:kube-scheduler" });
  const low = ["x", "y", "z"];
  for (const name of low) await resource.create(pod(name, "1"));
  for (const name of low) await placed(name);
  await resource.create(pod("large", "2", { priorityClassName: "high" }));
  const there = (await resource.list()).items.filter(({ spec }) => spec?.nodeName === "a").map(({ metadata }) => metadata?.name ?? "");
  for (const name of there) {
    const going = await cluster.waitFor(pods, name, ({ metadata }) => metadata?.deletionTimestamp !== undefined, { timeoutMs });
    assert.ok(going.status?.conditions?.some(({ type, reason }) => type === "DisruptionTarget" && reason === "PreemptionByScheduler"));
    await resource.delete(name, { gracePeriodSeconds: 0 });
  }
  assert.equal((await placed("large")).spec?.nodeName, "a");
  const left = (await resource.list()).items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  assert.deepEqual(left.map(({ metadata }) => metadata?.name).toSorted(), ["large", ...low.filter((name) => !there.includes(name))]);
};

test("preemption places important Pods, and evicts no Pod without need", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario: places, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
});
