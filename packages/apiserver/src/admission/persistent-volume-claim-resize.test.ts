import assert from "node:assert/strict";
import { test } from "node:test";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { admitted } from "./plugin-under-test.ts";

interface Claim {
  readonly size: string;
  readonly className?: string;
  readonly phase?: string;
}

const claim = ({ size, className, phase = "Bound" }: Claim) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "c", namespace: "n" },
  spec: { resources: { requests: { storage: size } }, ...(className === undefined ? {} : { storageClassName: className }) },
  status: { phase },
});

const stored = [
  { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "grows" }, allowVolumeExpansion: true },
  { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "stays" } },
];

const refused = 'persistentvolumeclaims "c" is forbidden: ';
const fixed = `${refused}only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize`;

const cases: readonly { name: string; from: Claim; to: Claim; expect?: string }[] = [
  { name: "its class lets volumes grow", from: { size: "1Gi", className: "grows" }, to: { size: "2Gi", className: "grows" } },
  { name: "its class does not", from: { size: "1Gi", className: "stays" }, to: { size: "2Gi", className: "stays" }, expect: fixed },
  { name: "its class is not there", from: { size: "1Gi", className: "none" }, to: { size: "2Gi", className: "none" }, expect: fixed },
  { name: "it has no class", from: { size: "1Gi" }, to: { size: "2Gi" }, expect: fixed },
  { name: "it gets its class with it", from: { size: "1Gi" }, to: { size: "2Gi", className: "grows" }, expect: fixed },
  {
    name: "it is not bound",
    from: { size: "1Gi", className: "grows", phase: "Pending" },
    to: { size: "2Gi", className: "grows" },
    expect: `${refused}Only bound persistent volume claims can be expanded`,
  },
  { name: "the same size in other words", from: { size: "1Gi" }, to: { size: "1024Mi" } },
  { name: "less is for others to judge", from: { size: "2Gi" }, to: { size: "1Gi" } },
];
for (const { name, from, to, expect } of cases)
  test(`a claim asks for more: ${name}`, async () => {
    const object = claim(to);
    assert.deepEqual(await admitted(persistentVolumeClaimResize, { object, previous: claim(from), stored }), expect ?? object);
  });
