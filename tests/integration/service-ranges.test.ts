import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { type Api, startApi } from "./api.ts";

const services = "/api/v1/namespaces/default/services";
const range = "/apis/networking.k8s.io/v1/servicecidrs/kubernetes";
const merge = "application/merge-patch+json";
const [v4, v6, dual] = [["10.96.0.0/12"], ["fd00:10:96::/112"], ["10.96.0.0/12", "fd00:10:96::/112"]];

const service = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
const create = async (api: Api, name: string, spec: object = {}) => (await api.send("POST", services, { body: service(name, spec) })).body;
const cidrsOf = async (api: Api): Promise<readonly string[]> => (await api.send("GET", range)).body.spec.cidrs;

test("a server that is started with a second range gives addresses of it, and changes no Service by itself", async () => {
  const before = await startApi({ serviceClusterIpRange: v4 });
  await create(before, "old", { ipFamilyPolicy: "PreferDualStack" });
  await before.server.close();
  const api = await startApi({ store: before.store, serviceClusterIpRange: dual });
  assert.deepEqual(await cidrsOf(api), dual);
  const patched = (await api.send("PATCH", `${services}/old`, { type: merge, body: { metadata: { labels: { a: "b" } } } })).body;
  assert.deepEqual(patched.spec.ipFamilies, ["IPv4"]);
  const upgraded = (await api.send("PATCH", `${services}/old`, { type: merge, body: { spec: { ipFamilyPolicy: "RequireDualStack" } } }))
    .body;
  assert.match(upgraded.spec.clusterIPs.join(" "), /^10\.\S+ fd00:10:96::\S+$/);
});

test("a server that has lost its second range keeps Services as they are, and gives no more of both families", async () => {
  const before = await startApi({ serviceClusterIpRange: dual });
  const { spec } = await create(before, "old", { ipFamilyPolicy: "PreferDualStack" });
  await before.server.close();
  const warnings: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    error: () => undefined,
    warn: (_: object, text: string) => warnings.push(text),
  };
  const api = await startApi({ store: before.store, serviceClusterIpRange: v4, log });
  assert.deepEqual(await cidrsOf(api), dual);
  assert.equal(warnings.filter((text) => text.startsWith("the ServiceCIDR kubernetes has other ranges")).length, 1);
  const patched = (await api.send("PATCH", `${services}/old`, { type: merge, body: { metadata: { labels: { a: "b" } } } })).body;
  assert.deepEqual(patched.spec.clusterIPs, spec.clusterIPs);
  const refused = await create(api, "new", { ipFamilyPolicy: "RequireDualStack" });
  assert.match(refused.message, /this cluster is not configured for dual-stack services$/);
});

test("the first range decides about default/kubernetes, and what is stored of it stays", async () => {
  const before = await startApi({ serviceClusterIpRange: v6 });
  const { spec } = (await before.send("GET", `${services}/kubernetes`)).body;
  assert.deepEqual([spec.clusterIPs, spec.ipFamilies], [["fd00:10:96::1"], ["IPv6"]]);
  assert.deepEqual((await create(before, "a")).spec.ipFamilies, ["IPv6"]);
  assert.equal((await create(before, "b", { ipFamilies: ["IPv4"] })).code, 422);
  await before.server.close();
  const api = await startApi({ store: before.store, serviceClusterIpRange: v4 });
  assert.deepEqual((await api.send("GET", `${services}/kubernetes`)).body.spec.clusterIPs, ["fd00:10:96::1"]);
  assert.equal((await api.send("GET", "/apis/networking.k8s.io/v1/ipaddresses/10.96.0.1")).status, 404);
});

test("the ServiceCIDR of the server is created again, and ready, when it is deleted", async () => {
  const api = await startApi({ serviceClusterIpRange: dual });
  const { metadata } = (await api.send("GET", range)).body;
  await api.send("DELETE", range);
  await waitUntil("there is another one", async () => {
    const { metadata: { uid } = { uid: undefined }, status } = (await api.send("GET", range)).body;
    return uid !== undefined && uid !== metadata.uid && status?.conditions?.[0]?.status === "True";
  });
  assert.deepEqual(await cidrsOf(api), dual);
  assert.match((await create(api, "a", { ipFamilyPolicy: "RequireDualStack" })).spec.clusterIPs.join(" "), /^10\.\S+ fd00:/);
});

test("a server does not start with ranges that Services cannot have", () =>
  assert.rejects(
    startApi({ serviceClusterIpRange: ["10.0.0.0/24", "10.1.0.0/24"] }),
    new RangeError("--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family"),
  ));
