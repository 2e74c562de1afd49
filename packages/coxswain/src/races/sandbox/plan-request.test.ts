import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import { type Change, type Doing, kindsOf, planRequest, unavailable } from "./plan-request.ts";

const map = (version: string, data: object): KubeObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seat", resourceVersion: version }, data }) as KubeObject;
const ann: Change = { kind: "field", path: ["data", "bookedBy"], value: "Ann", instead: ["data", "waiting"] };
const free = map("1", { bookedBy: "" });
const taken = map("2", { bookedBy: "Bob" });
const meta = { name: "seat" };

const cases: readonly { name: string; doing: Doing; copy?: KubeObject; current?: KubeObject; expect: object }[] = [
  { name: "a read asks for the newest", doing: { kind: "read" }, copy: free, expect: { verb: "get" } },
  {
    name: "a write sends the whole copy with its version, however old it is",
    doing: { kind: "update", isVersioned: true },
    copy: free,
    current: taken,
    expect: { verb: "update", object: map("1", { bookedBy: "Ann" }) },
  },
  {
    name: "a write without a version is the copy without it",
    doing: { kind: "update", isVersioned: false },
    copy: free,
    current: taken,
    expect: { verb: "update", object: { apiVersion: "v1", kind: "ConfigMap", metadata: meta, data: { bookedBy: "Ann" } } },
  },
  {
    name: "who has read that the seat is taken writes something else",
    doing: { kind: "update", isVersioned: true },
    copy: taken,
    expect: { verb: "update", object: map("2", { bookedBy: "Bob", waiting: "Ann" }) },
  },
  {
    name: "a patch names the one field",
    doing: { kind: "patch", isVersioned: false },
    copy: free,
    expect: { verb: "patch", patch: { data: { bookedBy: "Ann" } } },
  },
  {
    name: "a patch with a version names the one that was read",
    doing: { kind: "patch", isVersioned: true },
    copy: free,
    current: taken,
    expect: { verb: "patch", patch: { data: { bookedBy: "Ann" }, metadata: { resourceVersion: "1" } } },
  },
  {
    name: "an apply names the object and the field, and no version",
    doing: { kind: "apply", value: "own", force: true },
    copy: free,
    expect: { verb: "apply", force: true, object: { apiVersion: "v1", kind: "ConfigMap", metadata: meta, data: { bookedBy: "Ann" } } },
  },
  {
    name: "an apply of the value that there is",
    doing: { kind: "apply", value: "current", force: false },
    current: taken,
    expect: { verb: "apply", force: false, object: { apiVersion: "v1", kind: "ConfigMap", metadata: meta, data: { bookedBy: "Bob" } } },
  },
  {
    name: "an apply without the field",
    doing: { kind: "apply", value: "none", force: false },
    expect: { verb: "apply", force: false, object: { apiVersion: "v1", kind: "ConfigMap", metadata: meta } },
  },
];
for (const { name, doing, copy, current = free, expect } of cases)
  test(name, () => assert.deepEqual(planRequest(doing, { change: ann, copy, current }), expect));

test("a condition is written with the status, in the place of the same one and beside those of others", () => {
  const conditions = [
    { type: "Ready", status: "True" },
    { type: "Seen", status: "False" },
  ];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", resourceVersion: "7" }, status: { conditions } } as KubeObject;
  const planned = planRequest(
    { kind: "update", isVersioned: true },
    { change: { kind: "condition", type: "Seen" }, copy: pod, current: pod },
  );
  const wanted = [
    { type: "Ready", status: "True" },
    { type: "Seen", status: "True" },
  ];
  assert.deepEqual(planned, { verb: "update", subresource: "status", object: { ...pod, status: { conditions: wanted } } });
});

test("a retry is a read and a write", () => {
  assert.deepEqual(kindsOf({ kind: "retry" }), [{ kind: "read" }, { kind: "update", isVersioned: true }]);
});

test("who has read nothing can write nothing, and who sends nothing has nothing to let through", () => {
  const nothing = { hasCopy: false, isWaiting: false };
  const all = { hasCopy: true, isWaiting: true };
  const needing: readonly Doing[] = [{ kind: "update", isVersioned: false }, { kind: "patch", isVersioned: true }, { kind: "let through" }];
  for (const doing of needing) {
    assert.ok(unavailable(doing, nothing) !== undefined);
    assert.equal(unavailable(doing, all), undefined);
  }
  assert.equal(unavailable({ kind: "patch", isVersioned: false }, nothing), undefined);
  assert.equal(unavailable({ kind: "retry" }, nothing), undefined);
});
