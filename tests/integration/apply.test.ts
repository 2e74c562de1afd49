import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { storeUnderTest } from "../store-under-test.ts";
import { type Api, changesAfter, type Json, startApi } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const type = "application/apply-patch+yaml";

const apply = (api: Api, manager: string, data: object | undefined, query = "") =>
  api.send("PATCH", `${maps}/x?fieldManager=${manager}${query}`, {
    type,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, ...(data === undefined ? {} : { data }) },
  });

const owners = (body: Json): string[] =>
  (body.metadata.managedFields ?? []).map(
    (entry: Json) => `${entry.manager} ${entry.operation} ${Object.keys(entry.fieldsV1["f:data"] ?? {}).join(",")}`,
  );

test("an apply creates, a second one changes nothing and writes nothing", async () => {
  const api = await startApi();
  const first = await apply(api, "one", { a: "1" });
  assert.deepEqual([first.status, owners(first.body)], [201, ["one Apply f:a"]]);
  const before = api.store.revision;
  api.clock.advance(60_000);
  const second = await apply(api, "one", { a: "1" });
  assert.deepEqual([second.status, second.body], [200, first.body]);
  assert.deepEqual(changesAfter(api.store, before), []);
});

test("an apply that changes nothing asks the store for the object once, and no more of it", async () => {
  const asked: string[] = [];
  const store = new Proxy(await storeUnderTest(new ManualClock()), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]) => {
        const [first] = args;
        asked.push(`${String(name)} ${typeof first === "string" ? first : JSON.stringify(first)}`);
        return value.apply(target, args);
      };
    },
  });
  const api = await startApi({ store });
  await apply(api, "one", { a: "1" });
  asked.length = 0;
  assert.equal((await apply(api, "one", { a: "1" })).status, 200);
  // Stores that keep values in another form are asked whether it is that of now, which they know without reading.
  const ofObject = asked.filter((one) => one.includes("/registry/configmaps/") && !one.startsWith("isStale "));
  assert.deepEqual(ofObject, ["get /registry/configmaps/default/x"]);
});

test("an apply whose lists get their defaults back changes nothing either", async () => {
  const api = await startApi();
  const policy = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "x" },
    spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
  };
  const path = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/x?fieldManager=one";
  const first = await api.send("PATCH", path, { type, body: policy });
  assert.equal(first.body.spec.ingress[0].ports[0].protocol, "TCP");
  api.clock.advance(60_000);
  const second = await api.send("PATCH", path, { type, body: policy });
  assert.deepEqual([second.status, second.body], [200, first.body]);
});

test("an update that gives a field of its manager another value is noted with its time", async () => {
  const api = await startApi();
  const put = (a: string) =>
    api.send("PUT", `${maps}/x?fieldManager=one`, { body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { a } } });
  await api.send("POST", `${maps}?fieldManager=one`, {
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { a: "1" } },
  });
  const times = [];
  for (const value of ["2", "2", "3"]) {
    api.clock.advance(60_000);
    times.push((await put(value)).body.metadata.managedFields[0].time);
  }
  assert.deepEqual(times, ["2026-01-01T00:01:00Z", "2026-01-01T00:01:00Z", "2026-01-01T00:03:00Z"]);
});

test("applying a value of another manager conflicts, unless it is equal or force is set", async () => {
  const api = await startApi();
  await apply(api, "one", { a: "1" });
  const shared = await apply(api, "two", { a: "1" });
  assert.deepEqual(owners(shared.body).sort(), ["one Apply f:a", "two Apply f:a"]);
  const refused = await apply(api, "two", { a: "2" });
  assert.deepEqual([refused.status, refused.body.reason, refused.body.details.causes[0].field], [409, "Conflict", ".data.a"]);
  const forced = await apply(api, "two", { a: "2" }, "&force=true");
  assert.deepEqual([forced.status, forced.body.data, owners(forced.body)], [200, { a: "2" }, ["two Apply f:a"]]);
});

test("what a manager no longer applies goes, but what others manage too stays", async () => {
  const api = await startApi();
  await apply(api, "one", { mine: "1", ours: "1" });
  await apply(api, "two", { ours: "1" });
  const { body } = await apply(api, "one", undefined);
  assert.deepEqual(body.data, { ours: "1" });
});

test("an update takes ownership of the fields that it changes from other managers", async () => {
  const api = await startApi();
  await apply(api, "one", { a: "1", b: "1" });
  const patch = { type: "application/merge-patch+json", body: { data: { a: "2" } }, headers: { "user-agent": "editor/1.0" } };
  const { body } = await api.send("PATCH", `${maps}/x`, patch);
  assert.deepEqual(owners(body), ["one Apply f:b", "editor Update f:a"]);
});

test("an update that leaves managed fields out keeps them; an empty list resets them", async () => {
  const api = await startApi();
  const { body } = await apply(api, "one", { a: "1" });
  const { managedFields, ...metadata } = body.metadata;
  const kept = await api.send("PUT", `${maps}/x`, { body: { ...body, metadata } });
  assert.deepEqual(kept.body.metadata.managedFields, managedFields);
  const reset = await api.send("PUT", `${maps}/x`, { body: { ...body, metadata: { ...metadata, managedFields: [] } } });
  assert.equal(reset.body.metadata.managedFields, undefined);
});

test("an apply with a stale version is a conflict", async () => {
  const api = await startApi();
  const { body } = await apply(api, "one", { a: "1" });
  await apply(api, "one", { a: "2" });
  const stale = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "x", resourceVersion: body.metadata.resourceVersion },
    data: { a: "3" },
  };
  const answer = await api.send("PATCH", `${maps}/x?fieldManager=one`, { type, body: stale });
  assert.deepEqual([answer.status, answer.body.reason], [409, "Conflict"]);
});

test("managers of replicas through scale and through apply conflict", async () => {
  const api = await startApi();
  const spec = {
    replicas: 2,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  };
  const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec };
  const applyWeb = (query = "") => api.send("PATCH", `${deployments}/web?fieldManager=gitops${query}`, { type, body: web });
  assert.equal((await applyWeb()).status, 201);
  const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" }, spec: { replicas: 5 } };
  assert.equal((await api.send("PUT", `${deployments}/web/scale?fieldManager=hpa`, { body: scale })).status, 200);
  const refused = await applyWeb();
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /conflict with "hpa" with subresource "scale" using apps\/v1: \.spec\.replicas/);
  assert.equal((await applyWeb("&force=true")).body.spec.replicas, 2);
});

test("an apply of status leaves the spec, and its managers, alone", async () => {
  const api = await startApi();
  const spec = {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  };
  await api.send("POST", deployments, { body: { metadata: { name: "web" }, spec } });
  const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas: 9 }, status: { replicas: 3 } };
  const answer = await api.send("PATCH", `${deployments}/web/status?fieldManager=c`, { type, body });
  assert.deepEqual([answer.status, answer.body.spec.replicas, answer.body.status.replicas], [200, 1, 3]);
  const mine = answer.body.metadata.managedFields.find((entry: Json) => entry.manager === "c");
  assert.deepEqual([mine.subresource, Object.keys(mine.fieldsV1)], ["status", ["f:status"]]);
});

const refusals = [
  { name: "without a manager", target: `${maps}/x`, body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } }, status: 422 },
  {
    name: "of another version",
    target: `${maps}/x?fieldManager=m`,
    body: { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "x" } },
    status: 400,
  },
  {
    name: "with managed fields",
    target: `${maps}/x?fieldManager=m`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", managedFields: [{}] } },
    status: 400,
  },
  {
    name: "with a field that is not declared",
    target: `${maps}/x?fieldManager=m`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, nope: 1 },
    status: 500,
  },
];
for (const { name, target, body, status } of refusals) {
  test(`an apply ${name} is refused`, async () => {
    const api = await startApi();
    assert.equal((await api.send("PATCH", target, { type, body })).status, status);
    assert.equal((await api.send("GET", `${maps}/x`)).status, 404);
  });
}

test("force belongs to applies", async () => {
  const api = await startApi();
  const answer = await api.send("PATCH", `${maps}/x?force=true`, { type: "application/merge-patch+json", body: {} });
  assert.equal(answer.status, 422);
});
