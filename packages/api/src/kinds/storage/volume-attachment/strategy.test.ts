import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs } from "../../kind-under-test.ts";
import { volumeAttachment } from "./strategy.ts";

const csi = { driver: "d.example.com", volumeHandle: "h" };
const problemsOf = (inlineVolumeSpec: object) =>
  createdAs(volumeAttachment, { metadata: { name: "a" }, spec: { attacher: "d.example.com", nodeName: "n", source: { inlineVolumeSpec } } })
    .problems;
const at = "spec.source.inlineVolumeSpec";

test("a volume that is described in place", () => {
  assert.deepEqual(problemsOf({ csi, accessModes: ["ReadWriteOnce"] }), []);
  assert.deepEqual(problemsOf({ csi: { ...csi, volumeHandle: "" }, accessModes: ["ReadWriteOnce"] }), [
    `${at}.csi.volumeHandle: Required value`,
  ]);
});

test("nothing in it is for claims", () => {
  const spec = {
    accessModes: [],
    claimRef: {},
    capacity: { storage: "1Gi" },
    persistentVolumeReclaimPolicy: "Delete",
    storageClassName: "s",
    volumeMode: "Block",
  };
  const elsewhere = "may not be specified in the context of inline volumes";
  assert.deepEqual(problemsOf(spec), [
    `${at}.claimRef: Forbidden: ${elsewhere}`,
    `${at}.capacity: Forbidden: ${elsewhere}`,
    `${at}.csi: Required value: has to be specified in the context of inline volumes`,
    `${at}.accessModes: Required value`,
    `${at}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes`,
    `${at}: Required value: must specify a volume type`,
    `${at}.storageClassName: Forbidden: ${elsewhere}`,
    `${at}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes`,
  ]);
});
