/** Admission plugins that are off by default, over HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./api.ts";

const inNamespace = (name: string): string => `/api/v1/namespaces/${name}/configmaps`;
const long = "x".repeat(300_000);
const provision = { enable: ["NamespaceAutoProvision"] };

test("NamespaceAutoProvision makes the Namespace of what is made, but not for a dry run", async () => {
  const api = await startApi({ admission: provision });
  const body = { metadata: { name: "c" } };
  assert.equal((await api.send("POST", `${inNamespace("team")}?dryRun=All`, { body })).status, 404);
  assert.equal((await api.send("POST", inNamespace("team"), { body })).status, 201);
  const { metadata, spec, status } = (await api.send("GET", "/api/v1/namespaces/team")).body;
  assert.deepEqual(metadata.labels, { "kubernetes.io/metadata.name": "team" });
  assert.deepEqual(spec, { finalizers: ["kubernetes"] });
  assert.deepEqual(status, { phase: "Active" });
  assert.equal(metadata.managedFields[0].manager, "kube-apiserver");
  assert.equal((await api.send("POST", inNamespace("team"), { body: { metadata: { name: "d" } } })).status, 201);
});

test("NamespaceAutoProvision says why it cannot", async () => {
  const api = await startApi({ admission: provision });
  const { status, body } = await api.send("POST", inNamespace("UPPER"), { body: { metadata: { name: "c" } } });
  assert.equal(status, 403);
  assert.match(body.message, /^configmaps "c" is forbidden: Namespace "UPPER" is invalid: metadata\.name: Invalid value: "UPPER": a lower/);
});

test("NamespaceAutoProvision makes the Namespace of an object that another thread makes", async (t) => {
  const api = await startApi({ admission: provision, offload: "thread" });
  t.after(() => api.server.close());
  const body = { metadata: { name: "c" }, data: { long } };
  const { status, text } = await api.send("POST", inNamespace("team"), { body });
  assert.equal(status, 201, text.slice(0, 500));
  assert.equal((await api.send("GET", "/api/v1/namespaces/team")).status, 200);
});

test("what is configured holds in the other thread", async (t) => {
  const configuration = { podNodeSelector: { clusterDefaultNodeSelector: "tier=x" } };
  const api = await startApi({ admission: { enable: ["PodNodeSelector"], configuration }, offload: "thread" });
  t.after(() => api.server.close());
  const body = {
    metadata: { name: "p", annotations: { long: long.slice(0, 200_000) } },
    spec: { containers: [{ name: "c", image: "i" }] },
  };
  const { status, body: made } = await api.send("POST", "/api/v1/namespaces/default/pods", { body });
  assert.equal(status, 201);
  assert.deepEqual(made.spec.nodeSelector, { tier: "x" });
});

test("EventRateLimit answers 429, without a time after which to try again", async () => {
  const limits = [{ type: "Namespace", qps: 1, burst: 1, cacheSize: 0 }] as const;
  const api = await startApi({ admission: { enable: ["EventRateLimit"], configuration: { eventRateLimit: { limits } } } });
  const event = (name: string) => ({ metadata: { name }, involvedObject: { namespace: "default", kind: "Pod", name: "p" } });
  const send = (name: string) => api.send("POST", "/api/v1/namespaces/default/events", { body: event(name) });
  assert.equal((await send("a")).status, 201);
  const { status, headers, body } = await send("b");
  assert.equal(status, 429);
  assert.equal(headers["retry-after"], undefined);
  assert.deepEqual(body, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Too many requests: limit reached on type Namespace for key default",
    reason: "TooManyRequests",
    code: 429,
  });
  api.clock.advance(1_000);
  assert.equal((await send("b")).status, 201);
});
