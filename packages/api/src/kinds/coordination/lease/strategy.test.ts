import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, updatedAs } from "../../kind-under-test.ts";
import { lease } from "./strategy.ts";

test("a lease lasts, and counts its changes of hands", () => {
  assert.deepEqual(createdAs(lease, { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }).problems, [
    "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
    "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
  ]);
});

test("a lease is renewed to the microsecond", () => {
  const { object } = createdAs(lease, {
    spec: { renewTime: "2026-01-01T00:00:00.100000Z", acquireTime: "2026-01-01T01:00:00.000000+01:00" },
  });
  assert.deepEqual(object.spec, { renewTime: "2026-01-01T00:00:00.100000Z", acquireTime: "2026-01-01T00:00:00.000000Z" });
});

test("coordinated election is off, and its fields with it", () => {
  const spec = { holderIdentity: "a", strategy: "OldestEmulationVersion", preferredHolder: "b" };
  assert.deepEqual(createdAs(lease, { spec }).object.spec, { holderIdentity: "a" });
  assert.deepEqual(updatedAs(lease, { spec }, { spec }).object.spec, spec);
});

test("shows who holds a lease", () => {
  const metadata = { name: "l", creationTimestamp: "2026-01-01T00:00:00Z" };
  assert.deepEqual(lease.columns?.cells({ metadata, spec: { holderIdentity: "me" } }, Date.parse("2026-01-01T00:00:30Z")), [
    "l",
    "me",
    "30s",
  ]);
});
