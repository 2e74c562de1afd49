import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/client";
import { applyJsonPatch } from "@coxswain/machinery";
import { lastChangeIn, planUndo } from "./plan-undo.ts";

const web = (parts: object, metadata: object = {}): KubeObject =>
  ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "default", ...metadata }, ...parts }) as KubeObject;
const current = (parts: object, metadata: object = {}): KubeObject =>
  web(parts, { uid: "u", resourceVersion: "9", generation: 4, ...metadata });

const patches = [
  {
    name: "nothing but the status differs",
    now: current({ spec: { a: 1 }, status: { b: 2 } }),
    past: web({ spec: { a: 1 }, status: {} }),
    expect: [],
  },
  {
    name: "what differs is replaced, with nulls in it",
    now: current({ spec: { a: 1 } }),
    past: web({ spec: { a: null } }),
    expect: [{ op: "add", path: "/spec", value: { a: null } }],
  },
  {
    name: "what was not there goes, what was comes",
    now: current({ data: { x: "1" }, immutable: true }),
    past: web({ "a/b~c": 1 }),
    expect: [
      { op: "remove", path: "/data" },
      { op: "remove", path: "/immutable" },
      { op: "add", path: "/a~1b~0c", value: 1 },
    ],
  },
  {
    name: "labels and annotations come back, but for those of controllers and all else of the server's",
    now: current({}, { labels: { new: "1" }, annotations: { mine: "2", "deployment.kubernetes.io/revision": "2" }, finalizers: ["x"] }),
    past: web({}, { annotations: { mine: "1", "deployment.kubernetes.io/revision": "1" } }),
    expect: [
      { op: "remove", path: "/metadata/labels" },
      { op: "add", path: "/metadata/annotations", value: { mine: "1", "deployment.kubernetes.io/revision": "2" } },
    ],
  },
];
for (const { name, now, past, expect } of patches)
  test(name, () => {
    const plan = planUndo(now, past);
    if (expect.length === 0) return assert.deepEqual(plan, { kind: "nothing" });
    assert.ok(plan.kind === "patch");
    assert.deepEqual(plan.patch, [{ op: "replace", path: "/metadata/resourceVersion", value: "9" }, ...expect]);
    assert.deepEqual(JSON.parse(JSON.stringify(plan.object)), applyJsonPatch(structuredClone(now), plan.patch));
  });

test("what is gone is made again without what the server and controllers gave it", () => {
  const metadata = { uid: "u", resourceVersion: "3", creationTimestamp: "t", managedFields: [], ownerReferences: [{}], labels: { a: "b" } };
  assert.deepEqual(planUndo(undefined, web({ spec: { a: 1 }, status: { b: 1 } }, metadata)), {
    kind: "create",
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: { a: 1 },
      metadata: { name: "web", namespace: "default", labels: { a: "b" } },
    },
  });
});

test("a Job is made again without the selector that was made of its uid", () => {
  const labels = { "controller-uid": "u", "batch.kubernetes.io/job-name": "j", mine: "1" };
  const spec = { selector: { matchLabels: { "controller-uid": "u" } }, template: { metadata: { labels }, spec: { a: 1 } } };
  const plan = planUndo(undefined, { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j", labels }, spec } as KubeObject);
  assert.ok(plan.kind === "create");
  assert.deepEqual(plan.object, {
    ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "j", labels: { mine: "1" } } },
    spec: { template: { metadata: { labels: { mine: "1" } }, spec: { a: 1 } } },
  });
});

const version = (operation: "create" | "update" | "delete", ...fields: readonly string[]) => ({
  ...{ resourceVersion: "1", operation },
  changes: fields.map((field) => ({ kind: "changed" as const, field })),
});
const changes = [
  {
    name: "the status and controllers' annotations are no change",
    items: [version("update", ".status.x", ".metadata.annotations.deployment.kubernetes.io/revision")],
    expect: undefined,
  },
  { name: "the spec is", items: [version("update", ".status.x"), version("update", ".spec.x", ".status.y")], expect: 1 },
  {
    name: "labels are, finalizers are not",
    items: [version("update", ".metadata.finalizers"), version("update", ".metadata.labels.a")],
    expect: 1,
  },
  { name: "a deletion is", items: [version("delete"), version("update", ".spec.x")], expect: 0 },
  { name: "a creation is", items: [version("update", ".status.x"), version("create")], expect: 1 },
];
for (const { name, items, expect } of changes) test(`the last change: ${name}`, () => assert.equal(lastChangeIn(items), expect));
