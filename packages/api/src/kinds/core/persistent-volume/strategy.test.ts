import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, statusUpdatedAs, updatedAs } from "../../kind-under-test.ts";
import { persistentVolumeClaim } from "../persistent-volume-claim/strategy.ts";
import { persistentVolume } from "./strategy.ts";

const metadata = { name: "v", creationTimestamp: "2026-01-01T00:00:00Z" };
const storage = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
const volume = (spec: object) => ({ metadata, spec: { ...storage, ...spec } });
const secretRef = { name: "s", namespace: "ns" };

const volumes = [
  {
    name: "two kinds of storage",
    spec: { hostPath: { path: "/a" }, nfs: { server: "s", path: "/" } },
    expect: ["spec.nfs: Forbidden: may not specify more than 1 volume type"],
  },
  {
    name: "steps back",
    spec: { hostPath: { path: "/a/../b" } },
    expect: ["spec.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"],
  },
  {
    name: "a disk of no node",
    spec: { local: { path: "/a" } },
    expect: ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
  },
  {
    name: "a driver without a handle",
    spec: { csi: { driver: "Example.com", volumeHandle: "", nodePublishSecretRef: { name: "s" } } },
    expect: ["spec.csi.volumeHandle: Required value", "spec.csi.nodePublishSecretRef.namespace: Required value"],
  },
  {
    name: "nothing to store in",
    spec: { nfs: { server: "s", path: "/" }, capacity: { storage: "0" } },
    expect: ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
  },
  {
    name: "one pod among many",
    spec: { nfs: { server: "s", path: "/" }, accessModes: ["ReadWriteOncePod", "ReadWriteMany"] },
    expect: ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
  },
  {
    name: "to recycle the root",
    spec: { hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" },
    expect: ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  },
];
for (const { name, spec, expect } of volumes)
  test(`a volume: refuses ${name}`, () => assert.deepEqual(createdAs(persistentVolume, volume(spec)).problems, expect));

test("a volume's storage stays, but for the secret to grow it", () => {
  const csi = { driver: "example.com", volumeHandle: "h" };
  const prev = createdAs(persistentVolume, volume({ csi })).object;
  assert.deepEqual(updatedAs(persistentVolume, prev, volume({ csi: { ...csi, controllerExpandSecretRef: secretRef } })).problems, []);
  assert.deepEqual(updatedAs(persistentVolume, prev, volume({ csi: { ...csi, volumeHandle: "other" } })).problems, [
    [
      "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation",
      "@@ -22,7 +22,7 @@",
      '  "StorageOS": null,',
      '  "CSI": {',
      '   "Driver": "example.com",',
      '-  "VolumeHandle": "h",',
      '+  "VolumeHandle": "other",',
      '   "ReadOnly": false,',
      '   "FSType": "",',
      '   "VolumeAttributes": null,',
      "",
    ].join("\n"),
  ]);
});

test("a volume keeps the time of its phase", () => {
  const prev = createdAs(persistentVolume, volume({ hostPath: { path: "/a" } })).object;
  assert.deepEqual(statusUpdatedAs(persistentVolume, prev, { phase: "Pending", message: "m" }).object.status, {
    phase: "Pending",
    message: "m",
    lastPhaseTransitionTime: metadata.creationTimestamp,
  });
});

const now = Date.parse("2026-01-01T00:00:30Z");
test("shows a volume", () => {
  const spec = { hostPath: { path: "/a" }, claimRef: { namespace: "ns", name: "c" }, storageClassName: "fast" };
  const { object } = createdAs(persistentVolume, volume(spec));
  assert.deepEqual(persistentVolume.columns?.cells(object, now), [
    "v",
    "1Gi",
    "RWO",
    "Retain",
    "Pending",
    "ns/c",
    "fast",
    "<unset>",
    "",
    "30s",
    "Filesystem",
  ]);
});

const claim = (spec: object, status?: object) => ({
  metadata,
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } }, ...spec },
  status,
});
const populator = { apiGroup: "example.com", kind: "Backup", name: "b" };
const clone = { apiGroup: null, kind: "PersistentVolumeClaim", name: "c" };
const snapshot = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };
const sources = [
  { name: "the old field fills the new one", spec: { dataSource: snapshot }, expect: [snapshot, snapshot] },
  { name: "without a group it is a claim", spec: { dataSource: { kind: clone.kind, name: clone.name } }, expect: [clone, clone] },
  { name: "and the new the old", spec: { dataSourceRef: populator }, expect: [populator, populator] },
  { name: "the old one ignores what it never knew", spec: { dataSource: populator }, expect: [undefined, undefined] },
  {
    name: "other namespaces need a feature that is off",
    spec: { dataSourceRef: { ...snapshot, namespace: "x" } },
    expect: [undefined, undefined],
  },
];
for (const { name, spec, expect } of sources)
  test(`a claim's source: ${name}`, () => {
    const { dataSource, dataSourceRef } = createdAs(persistentVolumeClaim, claim(spec)).object.spec ?? {};
    assert.deepEqual([dataSource, dataSourceRef], expect);
  });

const frozen = "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const size = (amount: string) => ({ resources: { requests: { storage: amount } } });
const bound = { phase: "Bound", capacity: { storage: "2Gi" } };
const changes = [
  { name: "gets its volume once", from: {}, to: { volumeName: "v" }, expect: [] },
  { name: "keeps its volume", from: { volumeName: "v" }, to: { volumeName: "w" }, expect: [frozen] },
  { name: "may get a class later", from: {}, to: { storageClassName: "fast" }, expect: [] },
  { name: "keeps its class", from: { storageClassName: "fast" }, to: { storageClassName: "slow" }, expect: [frozen] },
  { name: "does not grow before it is bound", from: {}, to: size("3Gi"), expect: [frozen] },
  { name: "grows when bound", from: {}, to: size("3Gi"), status: bound, expect: [] },
  { name: "the same in other words", from: {}, to: size("2048Mi"), expect: [] },
  {
    name: "does not shrink to what it has",
    from: {},
    to: size("1Gi"),
    status: bound,
    expect: ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
  },
];
for (const { name, from, to, status, expect } of changes)
  test(`a claim ${name}`, () => {
    const prev = { ...createdAs(persistentVolumeClaim, claim(from)).object, ...(status ? { status } : {}) };
    const { problems } = updatedAs(persistentVolumeClaim, prev, claim(to, status));
    assert.deepEqual(
      problems.map((problem) => problem.split("\n")[0]),
      expect,
    );
  });

const rows = [
  {
    name: "a waiting claim",
    spec: {},
    status: { phase: "Pending" },
    expect: ["v", "Pending", "", "", "", "", "<unset>", "30s", "Filesystem"],
  },
  {
    name: "a bound claim",
    spec: { volumeName: "pv1", storageClassName: "fast", volumeMode: "Block" },
    status: { ...bound, accessModes: ["ReadOnlyMany", "ReadWriteOnce"] },
    expect: ["v", "Bound", "pv1", "2Gi", "RWO,ROX", "fast", "<unset>", "30s", "Block"],
  },
];
for (const { name, spec, status, expect } of rows)
  test(`shows ${name}`, () =>
    assert.deepEqual(
      persistentVolumeClaim.columns?.cells({ ...createdAs(persistentVolumeClaim, claim(spec)).object, status }, now),
      expect,
    ));

test("a volume notes when its phase changed", () => {
  const prev = createdAs(persistentVolume, volume({ hostPath: { path: "/a" } })).object;
  const next = { ...prev, status: { phase: "Available" } };
  persistentVolume.subresources?.status?.prepareForUpdate?.(next, prev, "2026-01-02T00:00:00Z");
  assert.deepEqual(next.status, { phase: "Available", lastPhaseTransitionTime: "2026-01-02T00:00:00Z" });
});
