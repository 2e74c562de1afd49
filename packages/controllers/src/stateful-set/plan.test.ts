import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, type StatefulSet, type VolumeClaim } from "./identity.ts";
import { plan } from "./plan.ts";
import { observedUnderTest, setUnderTest } from "./set-under-test.ts";

type Spec = Partial<NonNullable<StatefulSet["spec"]>>;

const parallel: Spec = { podManagementPolicy: "Parallel" };
const rolling = (rollingUpdate: object): Spec => ({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });
const template = { metadata: { name: "data" }, spec: {} };
const claimed: Spec = { volumeClaimTemplates: [template], replicas: 1 };
const claim = (metadata: VolumeClaim["metadata"] = {}): VolumeClaim => ({
  metadata: { name: "data-web-0", namespace: "default", ...metadata },
});
const ownedBy = (kind: "Pod" | "StatefulSet", name: string, uid: string) => [
  { apiVersion: kind === "Pod" ? "v1" : "apps/v1", kind, name, uid, controller: true, blockOwnerDeletion: true },
];
const deleting: Spec = { ...claimed, persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } };

interface Case {
  readonly name: string;
  readonly spec?: Spec;
  readonly pods: readonly string[];
  readonly claims?: readonly VolumeClaim[];
  readonly expect: string;
}

const cases: readonly Case[] = [
  { name: "in order: the first Pod comes first", pods: [], expect: "create web-0" },
  { name: "in order: the next comes when the last is ready", pods: ["web-0"], expect: "create web-1" },
  { name: "in order: nothing comes while one is not ready", pods: ["web-0 unready"], expect: "" },
  { name: "in order: nothing comes while one goes", pods: ["web-0", "web-1 going"], expect: "" },
  {
    name: "in order: nothing comes before one has been ready for long enough",
    spec: { minReadySeconds: 5 },
    pods: ["web-0 fresh"],
    expect: "",
  },
  { name: "in order: a gap is filled", pods: ["web-0", "web-2"], expect: "create web-1" },
  { name: "in order: what has failed is deleted", pods: ["web-0", "web-1 failed"], expect: "delete web-1" },
  { name: "in order: what has succeeded is deleted", pods: ["web-0 succeeded", "web-1"], expect: "delete web-0" },
  { name: "in order: what has failed and goes is waited for", pods: ["web-0 failed going"], expect: "" },
  { name: "ordinals may begin elsewhere", spec: { ordinals: { start: 5 }, replicas: 2 }, pods: ["web-5"], expect: "create web-6" },
  {
    name: "what is below the first ordinal goes",
    spec: { ordinals: { start: 1 }, replicas: 1 },
    pods: ["web-0", "web-1"],
    expect: "delete web-0",
  },
  { name: "in order: the highest goes first", spec: { replicas: 1 }, pods: ["web-0", "web-2", "web-1"], expect: "delete web-2" },
  { name: "in order: one that goes is waited for", spec: { replicas: 1 }, pods: ["web-0", "web-1", "web-2 going"], expect: "" },
  { name: "in order: nothing goes while a wanted one is not ready", spec: { replicas: 1 }, pods: ["web-0 unready", "web-1"], expect: "" },
  {
    name: "in order: one that is ready goes though a lower one is not",
    spec: { replicas: 1 },
    pods: ["web-0", "web-1 unready", "web-2"],
    expect: "delete web-2",
  },
  {
    name: "in order: not ready, it goes only as the first that is not",
    spec: { replicas: 1 },
    pods: ["web-0", "web-1 unready", "web-2 unready"],
    expect: "",
  },
  { name: "in order: the first that is not ready may go", spec: { replicas: 1 }, pods: ["web-0", "web-1 unready"], expect: "delete web-1" },
  { name: "in parallel: all come at once", spec: parallel, pods: ["web-1 unready"], expect: "create web-0, create web-2" },
  {
    name: "in parallel: all go at once",
    spec: { ...parallel, replicas: 1 },
    pods: ["web-0", "web-1", "web-2 unready", "web-3 going"],
    expect: "delete web-2, delete web-1",
  },
  {
    name: "in parallel: what has failed is deleted, once",
    spec: parallel,
    pods: ["web-0", "web-1 old failed", "web-2"],
    expect: "delete web-1",
  },
  { name: "an update begins with the highest", pods: ["web-0 old", "web-1 old", "web-2 old"], expect: "update web-2" },
  { name: "an update goes on when the last is ready", pods: ["web-0 old", "web-1 old", "web-2"], expect: "update web-1" },
  { name: "an update waits for the last", pods: ["web-0 old", "web-1 old", "web-2 unready"], expect: "" },
  { name: "an update in parallel waits for the last too", spec: parallel, pods: ["web-0 old", "web-1 old", "web-2 unready"], expect: "" },
  {
    name: "an update replaces what is not ready",
    spec: parallel,
    pods: ["web-0 old", "web-1 old", "web-2 old unready"],
    expect: "update web-2",
  },
  { name: "an update ends at the partition", spec: rolling({ partition: 2 }), pods: ["web-0 old", "web-1 old", "web-2"], expect: "" },
  {
    name: "on deletion only, nothing is updated",
    spec: { updateStrategy: { type: "OnDelete" } },
    pods: ["web-0 old", "web-1", "web-2 old"],
    expect: "",
  },
  {
    name: "several at a time where the server knows of that",
    spec: rolling({ maxUnavailable: 2 }),
    pods: ["web-0 old", "web-1 old", "web-2 old"],
    expect: "update web-2, update web-1",
  },
  {
    name: "several at a time, less those that are missing",
    spec: { ...parallel, ...rolling({ maxUnavailable: "67%" }) },
    pods: ["web-0 old", "web-1 old", "web-2 unready"],
    expect: "update web-1",
  },
  {
    name: "a Pod waits for the claim of its predecessor to go",
    spec: deleting,
    pods: [],
    claims: [claim({ ownerReferences: ownedBy("Pod", "web-0", "before") })],
    expect: "",
  },
  {
    name: "a claim that is kept is no reason to wait",
    spec: claimed,
    pods: [],
    claims: [claim({ ownerReferences: ownedBy("Pod", "web-0", "before") })],
    expect: "create web-0",
  },
  { name: "a Pod that is not scheduled gets its claim again", spec: claimed, pods: ["web-0 pending"], expect: "completeClaims web-0" },
  { name: "a Pod that is not scheduled has its claim", spec: claimed, pods: ["web-0 pending"], claims: [claim()], expect: "" },
  { name: "the set owns claims that go with it", spec: deleting, pods: ["web-0"], claims: [claim()], expect: "repair web-0" },
  {
    name: "and nothing is to do once it does",
    spec: deleting,
    pods: ["web-0"],
    claims: [claim({ ownerReferences: ownedBy("StatefulSet", "web", "uid-web") })],
    expect: "",
  },
  {
    name: "the Pod owns the claim that goes with it",
    spec: { ...deleting, replicas: 0 },
    pods: ["web-0"],
    claims: [claim()],
    expect: "alignClaims web-0, delete web-0",
  },
];

for (const { name, spec = {}, pods, claims = [], expect } of cases)
  test(name, () => {
    const { phases, updates } = plan(observedUnderTest(setUnderTest(spec), pods, claims));
    const steps = phases.flat().map((step) => `${step.do} ${nameOf(step.pod)}`);
    assert.equal([...steps, ...updates.map((pod) => `update ${nameOf(pod)}`)].join(", "), expect);
  });

test("nothing is done for a set that is on the way out", () => {
  const set = setUnderTest();
  const going = { ...set, metadata: { ...set.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  assert.deepEqual(plan(observedUnderTest(going, [])), { phases: [], updates: [] });
});

const created = [
  { name: "below the partition it comes back as it was", spec: rolling({ partition: 1 }), image: "v1" },
  { name: "from the partition on it comes with the new template", spec: rolling({ partition: 0 }), image: "v2" },
  {
    name: "with no partition, as many as are of the old one come back as they were",
    spec: { updateStrategy: { type: "RollingUpdate" } },
    image: "v1",
    currentReplicas: 1,
  },
  { name: "on deletion it comes with the new template", spec: { updateStrategy: { type: "OnDelete" } }, image: "v2", currentReplicas: 1 },
];

for (const { name, spec, image, currentReplicas = 0 } of created)
  test(name, () => {
    const set = { ...setUnderTest({ ...spec, ...claimed }), status: { replicas: 1, currentReplicas } };
    const [step] = plan(observedUnderTest(set, [])).phases.flat();
    const pod = step?.pod;
    assert.equal(pod?.spec?.containers[0]?.image, image);
    assert.deepEqual(pod?.metadata?.labels, {
      app: "web",
      "apps.kubernetes.io/pod-index": "0",
      "controller-revision-hash": image === "v1" ? "web-old" : "web-new",
      "statefulset.kubernetes.io/pod-name": "web-0",
    });
    assert.deepEqual([pod?.spec?.hostname, pod?.spec?.subdomain], ["web-0", "web"]);
    assert.deepEqual(pod?.spec?.volumes, [{ name: "data", persistentVolumeClaim: { claimName: "data-web-0" } }]);
  });
