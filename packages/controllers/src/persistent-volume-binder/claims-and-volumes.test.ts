import assert from "node:assert/strict";
import { test } from "node:test";
import { bindCompleted, type Claim, type coreV1, type storageV1, type Volume, volumeBoundTo } from "@coxswain/api";
import { claimBoundTo, unboundVolume } from "./binding.ts";
import { type ClaimPlan, plan as planClaim } from "./claims/plan.ts";
import { plan as planVolume, type VolumePlan } from "./volumes/plan.ts";

const claim = (spec: Claim["spec"] = {}, annotations: Record<string, string> = {}): Claim => ({
  metadata: { name: "c", namespace: "a", uid: "u", annotations },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "", ...spec },
});
const volume = (spec: Volume["spec"] = {}, more: Partial<Volume> = {}): Volume => ({
  metadata: { name: "v" },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...spec },
  status: { phase: "Available" },
  ...more,
});
const mine = { namespace: "a", name: "c", uid: "u" };
const classOf = (more: Partial<storageV1.StorageClass> = {}): storageV1.StorageClass => ({
  metadata: { name: "gold" },
  provisioner: "x.io/p",
  ...more,
});
const waiter = (name: string): coreV1.Pod => ({ metadata: { name }, spec: { containers: [] }, status: { phase: "Pending" } });

const claimCases: {
  name: string;
  claim: Claim;
  volumes?: Volume[];
  classes?: storageV1.StorageClass[];
  pods?: coreV1.Pod[];
  expect: string;
}[] = [
  { name: "a volume fits", claim: claim(), volumes: [volume()], expect: "bind" },
  {
    name: "none does",
    claim: claim(),
    expect: "wait FailedBinding: no persistent volumes available for this claim and no storage class is set",
  },
  { name: "it asks for one that is not there yet", claim: claim({ volumeName: "v" }), expect: "wait" },
  {
    name: "it asks for one that is too small",
    claim: claim({ volumeName: "v" }),
    volumes: [volume({ capacity: { storage: "1Mi" } })],
    expect: 'wait VolumeMismatch: Cannot bind to requested volume "v": requested PV is too small',
  },
  {
    name: "it asks for another's",
    claim: claim({ volumeName: "v" }),
    volumes: [volume({ claimRef: { ...mine, uid: "x" } })],
    expect: 'wait FailedBinding: volume "v" already bound to a different claim.',
  },
  {
    name: "no class, but a default",
    claim: { ...claim(), spec: {} },
    classes: [classOf({ metadata: { name: "gold", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } } })],
    expect: "classify gold",
  },
  {
    name: "a class that is not there",
    claim: claim({ storageClassName: "gold" }),
    expect: 'wait ProvisioningFailed: storageclass.storage.k8s.io "gold" not found',
  },
  {
    name: "a class with a provisioner",
    claim: claim({ storageClassName: "gold" }),
    classes: [classOf()],
    expect: "provision x.io/p",
  },
  {
    name: "a class without one",
    claim: claim({ storageClassName: "gold" }),
    classes: [classOf({ provisioner: "kubernetes.io/no-provisioner" })],
    expect: "wait ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner",
  },
  {
    name: "no Pod uses it yet",
    claim: claim({ storageClassName: "gold" }),
    classes: [classOf({ volumeBindingMode: "WaitForFirstConsumer" })],
    expect: "wait WaitForFirstConsumer: waiting for first consumer to be created before binding",
  },
  {
    name: "a Pod waits too",
    claim: claim({ storageClassName: "gold" }),
    classes: [classOf({ volumeBindingMode: "WaitForFirstConsumer" })],
    pods: [waiter("p")],
    expect: "wait WaitForPodScheduled: waiting for pod p to be scheduled",
  },
  {
    name: "a Pod has been placed",
    claim: claim({ storageClassName: "gold" }, { "volume.kubernetes.io/selected-node": "n" }),
    classes: [classOf({ volumeBindingMode: "WaitForFirstConsumer" })],
    expect: "provision x.io/p",
  },
  {
    name: "its volume is gone",
    claim: claim({ volumeName: "v" }, { [bindCompleted]: "yes" }),
    expect: "lose ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
  },
  {
    name: "its volume is another's by now",
    claim: claim({ volumeName: "v" }, { [bindCompleted]: "yes" }),
    volumes: [volume({ claimRef: { ...mine, uid: "x" } })],
    expect: "lose ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly",
  },
];

for (const { name, claim: one, volumes = [], classes = [], pods = [], expect } of claimCases)
  test(`claim: ${name}`, () => {
    const planned = planClaim({
      claim: one,
      volumes: () => volumes,
      volume: (wanted) => volumes.find(({ metadata }) => metadata?.name === wanted),
      storageClass: (wanted) => classes.find(({ metadata }) => metadata?.name === wanted),
      storageClasses: () => classes,
      pods: () => pods,
    });
    assert.equal(printClaim(planned), expect);
  });

function printClaim(plan: ClaimPlan): string {
  if (plan.do === "classify") return `classify ${plan.storageClassName}`;
  if (plan.do === "provision") return `provision ${plan.provisioner}`;
  return "event" in plan && plan.event !== undefined ? `${plan.do} ${plan.event.reason}: ${plan.event.message}` : plan.do;
}

const released = { status: { phase: "Released" } };
const volumeCases: { name: string; volume: Volume; claim?: Claim; expect: string }[] = [
  { name: "without a claim", volume: volume(), expect: "mark Available" },
  {
    name: "reserved for a claim that does not exist yet",
    volume: volume({ claimRef: { namespace: "a", name: "c" } }),
    expect: "mark Available",
  },
  { name: "bound both ways", volume: volume({ claimRef: mine }), claim: claim({ volumeName: "v" }), expect: "mark Bound" },
  { name: "half bound", volume: volume({ claimRef: mine }), claim: claim(), expect: "nothing" },
  {
    name: "bound to a claim that it does not match",
    volume: volume({ claimRef: mine, volumeMode: "Block" }),
    claim: claim(),
    expect: "refuse",
  },
  {
    name: "whose claim is bound to another volume",
    volume: volume({ claimRef: mine }),
    claim: claim({ volumeName: "w" }),
    expect: "unbind",
  },
  { name: "whose claim is gone", volume: volume({ claimRef: mine }), expect: "mark Released" },
  {
    name: "released with policy Retain",
    volume: volume({ claimRef: mine, persistentVolumeReclaimPolicy: "Retain" }, released),
    expect: "nothing",
  },
  {
    name: "released, to be deleted by a CSI driver",
    volume: volume({ claimRef: mine, persistentVolumeReclaimPolicy: "Delete", csi: { driver: "x.io", volumeHandle: "h" } }, released),
    expect: "nothing",
  },
  {
    name: "released, without a driver that deletes it",
    volume: volume({ claimRef: mine, persistentVolumeReclaimPolicy: "Delete", nfs: { server: "s", path: "/" } }, released),
    expect: 'fail VolumeFailedDelete: error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
  },
  {
    name: "released with policy Recycle",
    volume: volume({ claimRef: mine, persistentVolumeReclaimPolicy: "Recycle" }, released),
    expect: "fail VolumeFailedRecycle: No recycler plugin found for the volume!",
  },
];

for (const { name, volume: one, claim: its, expect } of volumeCases)
  test(`volume: ${name}`, () => assert.equal(printVolume(planVolume({ volume: one, claim: its })), expect));

function printVolume(plan: VolumePlan): string {
  if (plan.do === "mark") return `mark ${plan.phase}`;
  return plan.do === "fail" ? `fail ${plan.event.reason}: ${plan.event.message}` : plan.do;
}

test("each end says who has made it, and what was made by hand is not undone", () => {
  const chosen = volumeBoundTo(volume(), claim());
  assert.deepEqual(chosen.metadata?.annotations, { "pv.kubernetes.io/bound-by-controller": "yes" });
  assert.equal(volumeBoundTo(chosen, claim()), chosen);
  assert.equal(unboundVolume(chosen).spec?.claimRef, undefined);
  assert.equal(unboundVolume(chosen).metadata?.annotations, undefined);
  const reserved = volumeBoundTo(volume({ claimRef: { namespace: "a", name: "c" } }), claim());
  assert.equal(reserved.metadata?.annotations, undefined);
  assert.equal(reserved.spec?.claimRef?.uid, "u");
  assert.deepEqual(unboundVolume(reserved).spec?.claimRef, { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "a", name: "c" });
  const both = { [bindCompleted]: "yes", "pv.kubernetes.io/bound-by-controller": "yes" };
  assert.deepEqual(claimBoundTo(claim(), volume()).metadata?.annotations, both);
  assert.deepEqual(claimBoundTo(claim({ volumeName: "v" }), volume()).metadata?.annotations, { [bindCompleted]: "yes" });
});
