import assert from "node:assert/strict";
import { test } from "node:test";
import { applyScale, scaleKind, toScale, validateScale } from "./scale.ts";

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "a", uid: "u", resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z", labels: { x: "y" } },
  spec: {
    replicas: 3,
    paused: true,
    selector: { matchLabels: { app: "web" }, matchExpressions: [{ key: "a", operator: "In", values: ["2", "1"] }] },
  },
  status: { replicas: 2 },
};

test("a Scale names its parent and shows the selector as text", () => {
  assert.deepEqual(toScale(deployment, "deployments"), {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name: "web", namespace: "a", uid: "u", resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: "a in (1,2),app=web" },
  });
});

test("a ReplicationController's selector is a map, and zero replicas are left out", () => {
  const scale = toScale({ metadata: { name: "rc" }, spec: { replicas: 0, selector: { b: "2", a: "1" } } }, "replicationcontrollers");
  assert.deepEqual(scale.spec, {});
  assert.deepEqual(scale.status, { replicas: 0, selector: "a=1,b=2" });
});

test("a scale write changes replicas and carries its own resourceVersion, or none", () => {
  const scaled = applyScale(deployment, { metadata: { name: "web" }, spec: { replicas: 6 } });
  assert.equal(scaled.spec.replicas, 6);
  assert.equal(scaled.spec.paused, true);
  assert.equal(scaled.metadata?.resourceVersion, undefined);
  assert.equal(applyScale(deployment, { metadata: { resourceVersion: "5" } }).metadata?.resourceVersion, "5");
  assert.equal(applyScale(deployment, {}).spec.replicas, 0);
  assert.equal(deployment.spec.replicas, 3);
});

test("replicas may not be negative", () => {
  const metadata = { name: "web", namespace: "default" };
  const [error] = validateScale({ metadata, spec: { replicas: -1 } });
  assert.deepEqual(error, {
    type: "FieldValueInvalid",
    field: "spec.replicas",
    message: "Invalid value: -1: must be greater than or equal to 0",
  });
  assert.deepEqual([...validateScale({ metadata, spec: {} })], []);
});

test("a Scale's metadata is checked as any object's is", () => {
  const [error] = validateScale({ metadata: { name: "web", namespace: "default", labels: { a: "b c" } }, spec: {} });
  assert.equal(error?.field, "metadata.labels");
});

test("a Scale's row shows what is wanted and what is there", () => {
  assert.deepEqual(
    scaleKind.columns?.definitions.map(({ name }) => name),
    ["Name", "Desired", "Available", "Age"],
  );
  const metadata = { name: "web", creationTimestamp: "2026-01-01T00:00:00Z" };
  const cells = scaleKind.columns?.cells({ metadata, spec: { replicas: 3 }, status: { replicas: 2 } }, Date.parse("2026-01-01T01:00:00Z"));
  assert.deepEqual(cells, ["web", 3, 2, "60m"]);
});
