/** What every cluster has from its first moment on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, startApi } from "./api.ts";

const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";

test("there are four namespaces, each labelled with its name and held by its finalizer", async () => {
  const api = await startApi();
  const { body } = await api.send("GET", "/api/v1/namespaces");
  assert.deepEqual(
    body.items.map(({ metadata, spec, status }: Json) => [metadata.name, metadata.labels, spec, status]),
    ["default", "kube-node-lease", "kube-public", "kube-system"].map((name) => [
      name,
      { "kubernetes.io/metadata.name": name },
      { finalizers: ["kubernetes"] },
      { phase: "Active" },
    ]),
  );
});

test("a new namespace gets its label and its finalizer, whatever its body has", async () => {
  const api = await startApi();
  const metadata = { name: "n", labels: { "kubernetes.io/metadata.name": "other", a: "b" } };
  const { body } = await api.send("POST", "/api/v1/namespaces", { body: { metadata } });
  assert.deepEqual(body.metadata.labels, { "kubernetes.io/metadata.name": "n", a: "b" });
  assert.deepEqual(body.spec.finalizers, ["kubernetes"]);
});

test("the server is a Service", async () => {
  const api = await startApi();
  const { body } = await api.send("GET", "/api/v1/namespaces/default/services/kubernetes");
  assert.deepEqual([body.spec.clusterIP, body.spec.ports[0].port], ["10.96.0.1", 443]);
});

test("the system's priority classes are there, count and stay", async () => {
  const api = await startApi();
  const { body } = await api.send("GET", classes);
  const shown = body.items.map(({ metadata, value, preemptionPolicy }: Json) => [
    metadata.name,
    metadata.generation,
    value,
    preemptionPolicy,
  ]);
  assert.deepEqual(shown, [
    ["system-cluster-critical", 1, 2_000_000_000, "PreemptLowerPriority"],
    ["system-node-critical", 1, 2_000_001_000, "PreemptLowerPriority"],
  ]);
  const pod = await api.send("POST", "/api/v1/namespaces/kube-system/pods", {
    body: { metadata: { name: "p" }, spec: { priorityClassName: "system-node-critical", containers: [{ name: "c", image: "i" }] } },
  });
  assert.equal(pod.body.spec.priority, 2_000_001_000);
  const deleted = await api.send("DELETE", `${classes}/system-node-critical`);
  assert.equal(deleted.status, 403);
  assert.equal(
    deleted.body.message,
    'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  );
});
