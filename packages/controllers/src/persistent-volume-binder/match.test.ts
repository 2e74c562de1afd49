import assert from "node:assert/strict";
import { test } from "node:test";
import type { Claim, coreV1, Volume } from "@coxswain/api";
import { bestVolume, mismatchOf } from "./match.ts";

const claim = (spec: Claim["spec"] = {}): Claim => ({
  metadata: { name: "c", namespace: "a", uid: "u" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const volume = (name: string, storage: string, spec: Volume["spec"] = {}, more: Partial<Volume> = {}): Volume => ({
  metadata: { name, labels: { name } },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage }, ...spec },
  status: { phase: "Available" },
  ...more,
});
const meantFor = (name: string, uid?: string): coreV1.ObjectReference => ({ namespace: "a", name, ...(uid === undefined ? {} : { uid }) });

const cases: { name: string; claim?: Claim; volumes: Volume[]; waits?: boolean; expect: string | undefined }[] = [
  { name: "the smallest that is large enough", volumes: [volume("l", "5Gi"), volume("m", "2Gi"), volume("s", "512Mi")], expect: "m" },
  {
    name: "fewer ways to use it go before less room",
    volumes: [volume("many", "1Gi", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }), volume("one", "2Gi")],
    expect: "one",
  },
  { name: "another class", volumes: [volume("x", "1Gi", { storageClassName: "gold" })], expect: undefined },
  { name: "another mode", volumes: [volume("x", "1Gi", { volumeMode: "Block" })], expect: undefined },
  { name: "not all access modes", claim: claim({ accessModes: ["ReadWriteMany"] }), volumes: [volume("x", "1Gi")], expect: undefined },
  {
    name: "a selector",
    claim: claim({ selector: { matchLabels: { name: "y" } } }),
    volumes: [volume("x", "1Gi"), volume("y", "9Gi")],
    expect: "y",
  },
  { name: "not available", volumes: [volume("x", "1Gi", {}, { status: { phase: "Released" } })], expect: undefined },
  { name: "another claim's", volumes: [volume("x", "1Gi", { claimRef: meantFor("d") })], expect: undefined },
  {
    name: "what is meant for it goes first",
    volumes: [volume("x", "1Gi"), volume("mine", "9Gi", { claimRef: meantFor("c"), accessModes: ["ReadWriteOnce", "ReadOnlyMany"] })],
    expect: "mine",
  },
  {
    name: "what is meant for an earlier claim of its name",
    volumes: [volume("x", "1Gi", { claimRef: meantFor("c", "before") })],
    expect: undefined,
  },
  { name: "a Pod has to come first", volumes: [volume("x", "1Gi")], waits: true, expect: undefined },
  { name: "a Pod has come", volumes: [volume("x", "1Gi", { claimRef: meantFor("c", "u") })], waits: true, expect: "x" },
];

for (const { name, claim: wanted = claim(), volumes, waits = false, expect } of cases)
  test(name, () => assert.equal(bestVolume(wanted, volumes, waits)?.metadata?.name, expect));

const mismatches: { volume: Volume; expect: string | undefined }[] = [
  { volume: volume("x", "1Gi"), expect: undefined },
  { volume: volume("x", "1Mi"), expect: "requested PV is too small" },
  { volume: volume("x", "1Gi", { storageClassName: "gold" }), expect: "storageClassName does not match" },
  { volume: volume("x", "1Gi", { volumeMode: "Block" }), expect: "incompatible volumeMode" },
  { volume: volume("x", "1Gi", { accessModes: ["ReadOnlyMany"] }), expect: "incompatible accessMode" },
];
for (const { volume: one, expect } of mismatches)
  test(`asked for by name: ${expect ?? "fits"}`, () => assert.equal(mismatchOf(one, claim()), expect));
