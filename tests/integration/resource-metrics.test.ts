/** metrics.k8s.io: what a metrics source has measured, as lists, objects and Tables. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Measured, ResourceMetrics } from "@coxswain/apiserver";
import { waitUntil } from "@coxswain/machinery/testing";
import { type Api, startApi } from "./api.ts";
import { ask, register, startExtensionServer } from "./extension-server.ts";

const one: Measured = { at: 1_000, windowMs: 15_000, cpuNanocores: 1_500_000, memoryBytes: 3 * 1024 * 1024 };
const resourceMetrics: ResourceMetrics = {
  nodes: async () => new Map([["n1", one]]),
  pods: async () =>
    new Map([
      [
        "default/a",
        [
          { ...one, name: "x" },
          { ...one, name: "y" },
        ],
      ],
      ["default/gone", [{ ...one, name: "x" }]],
      ["other/c", [{ ...one, name: "x" }]],
    ]),
};

const root = "/apis/metrics.k8s.io/v1beta1";
let api: Api;
before(async () => {
  api = await startApi({
    resourceMetrics,
    reports: new Map([["echo", async (path, query) => (path.length === 0 ? undefined : { path, q: query.get("q") })]]),
  });
  const pod = (name: string, labels = {}) => ({ metadata: { name, labels }, spec: { containers: [{ name: "x", image: "i" }] } });
  await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "other" } } });
  for (const body of [pod("a", { app: "a" }), pod("b")]) await api.send("POST", "/api/v1/namespaces/default/pods", { body });
  await api.send("POST", "/api/v1/namespaces/other/pods", { body: pod("c") });
  for (const name of ["n1", "n2"]) await api.send("POST", "/api/v1/nodes", { body: { metadata: { name } } });
});

const get = async (path: string, accept?: string) => (await api.send("GET", `${root}${path}`, accept === undefined ? {} : { accept })).body;
const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name);
const usage = { cpu: "1500000n", memory: "3072Ki" };

test("a Pod's containers, and a node, where there are both the object and figures", async () => {
  const { metadata, ...pod } = await get("/namespaces/default/pods/a");
  assert.deepEqual([metadata.name, metadata.namespace, metadata.labels], ["a", "default", { app: "a" }]);
  const containers = ["x", "y"].map((name) => ({ name, usage }));
  assert.deepEqual(pod, {
    kind: "PodMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    timestamp: "1970-01-01T00:00:01Z",
    window: "15s",
    containers,
  });
  assert.deepEqual((await get("/nodes/n1")).usage, usage);
  assert.equal((await get("/namespaces/default/pods/b")).message, 'podmetrics.metrics.k8s.io "default/b" not found');
  assert.equal((await get("/namespaces/default/pods/gone")).message, 'podmetrics.metrics.k8s.io "default/gone" not found');
  assert.equal((await get("/nodes/n2")).message, 'nodemetrics.metrics.k8s.io "n2" not found');
});

test("lists, by namespace and by label", async () => {
  assert.deepEqual(names(await get("/pods")), ["a", "c"]);
  assert.deepEqual(names(await get("/namespaces/default/pods")), ["a"]);
  assert.deepEqual(names(await get("/pods?labelSelector=app%3Da")), ["a"]);
  assert.deepEqual(names(await get("/pods?labelSelector=app%3Db")), []);
  assert.equal((await get("/nodes")).kind, "NodeMetricsList");
});

test("Tables, discovery, OpenAPI, and nothing but reading", async () => {
  const table = await get("/pods", "application/json;as=Table;v=v1;g=meta.k8s.io");
  assert.deepEqual(table.rows[0].cells, ["a", "3000000n", "6144Ki", "15s"]);
  const { resources } = await get("");
  assert.deepEqual(
    resources.map(({ name, kind, verbs }: { name: string; kind: string; verbs: string[] }) => [name, kind, verbs.join()]),
    [
      ["nodes", "NodeMetrics", "get,list"],
      ["pods", "PodMetrics", "get,list"],
    ],
  );
  const openapi = (await api.send("GET", "/openapi/v3/apis/metrics.k8s.io/v1beta1")).body;
  assert.ok(Object.keys(openapi.components.schemas).some((name) => name.endsWith("v1beta1.PodMetrics")));
  assert.equal((await api.send("DELETE", `${root}/nodes/n1`)).status, 405);
  assert.equal((await api.send("GET", `${root}/pods?watch=1`)).status, 405);
});

test("without a source of metrics the group is not served", async () => {
  const without = await startApi();
  assert.equal((await without.send("GET", `${root}/nodes`)).status, 404);
});

test("reports of other parts of the process", async () => {
  assert.deepEqual((await api.send("GET", "/coxswain/v1/echo/a/b?q=1")).body, { path: ["a", "b"], q: "1" });
  assert.equal((await api.send("GET", "/coxswain/v1/echo")).status, 404);
  assert.equal((await api.send("GET", "/coxswain/v1/none/a")).body.reason, "NotFound");
});

test("metrics-server's APIService has the group served by that server, and the server's own comes back when it goes", async (t) => {
  await using extension = await startExtensionServer();
  extension.answer = (response, { url }) => response.end(JSON.stringify({ kind: "NodeMetricsList", url }));
  const clusterMetrics = await startApi({ resourceMetrics, kubelets: { loopback: true } });
  t.after(() => clusterMetrics.server.close());
  await clusterMetrics.send("POST", "/api/v1/nodes", { body: { metadata: { name: "n1" } } });
  assert.deepEqual((await clusterMetrics.send("GET", `${root}/nodes/n1`)).body.usage, usage);
  await register(clusterMetrics, extension, { group: "metrics.k8s.io", version: "v1beta1" });
  const nodes = () => ask(clusterMetrics, "GET", `${root}/nodes`);
  const { body } = await waitUntil("the extension server's answer", async () => {
    const answer = await nodes();
    return answer.status === 200 ? answer : undefined;
  });
  assert.deepEqual(body, { kind: "NodeMetricsList", url: `${root}/nodes` });
  await clusterMetrics.send("DELETE", "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io");
  assert.deepEqual((await clusterMetrics.send("GET", `${root}/nodes/n1`)).body.usage, usage);
  const { groups } = (await clusterMetrics.send("GET", "/apis")).body;
  assert.equal(groups.filter(({ name }: { name: string }) => name === "metrics.k8s.io").length, 1);
});

test("an APIService takes the group over: what it serves cannot be reached, and is back with the server when it goes", async () => {
  const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
  const spec = { group: "metrics.k8s.io", version: "v1beta1", groupPriorityMinimum: 100, versionPriority: 100 };
  const service = { namespace: "kube-system", name: "metrics-server" };
  const metadata = { name: "v1beta1.metrics.k8s.io" };
  const created = await api.send("POST", apiServices, { body: { metadata, spec: { ...spec, service, insecureSkipTLSVerify: true } } });
  assert.equal(created.status, 201, created.text);
  for (const path of [root, `${root}/nodes`, `${root}/namespaces/default/pods/a`, root.replace("metrics.k8s.io", "metrics%2Ek8s%2Eio")]) {
    const { status, type, text } = await api.send("GET", path);
    assert.deepEqual([status, type, text], [503, "text/plain; charset=utf-8", "service unavailable\n"]);
  }
  await api.send("DELETE", `${apiServices}/${metadata.name}`);
  assert.deepEqual((await get("/nodes/n1")).usage, usage);
});
