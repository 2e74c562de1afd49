/** Quotas are charged with the write that they are charged for. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { openSqliteStore } from "@coxswain/store";
import { storesUnderTest } from "../store-under-test.ts";
import { type Api, type Json, startApi } from "./api.ts";

const ns = "/api/v1/namespaces/default";
const configMap = (name: string, more: object = {}) => ({ metadata: { name }, ...more });

async function limit(api: Api, hard: Record<string, string>, spec: object = {}, name = "q"): Promise<void> {
  const made = await api.send("POST", `${ns}/resourcequotas`, { body: { metadata: { name }, spec: { hard, ...spec } } });
  assert.equal(made.status, 201, made.text);
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, "0"]));
  const status = await api.send("PUT", `${ns}/resourcequotas/${name}/status`, { body: { ...made.body, status: { hard, used } } });
  assert.equal(status.status, 200, status.text);
}

const usedOf = async (api: Api, name = "q"): Promise<Json> => (await api.send("GET", `${ns}/resourcequotas/${name}`)).body.status.used;

async function createAll(servers: readonly Api[], count: number): Promise<{ readonly created: number; readonly refused: number }> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, i) => servers[i % servers.length]?.send("POST", `${ns}/configmaps`, { body: configMap(`c-${i}`) })),
  );
  const of = (status: number): number => answers.filter((answer) => answer?.status === status).length;
  return { created: of(201), refused: of(403) };
}

async function assertExactly(servers: readonly Api[], before: number): Promise<void> {
  assert.deepEqual(await createAll(servers, 200), { created: 100, refused: 100 });
  const [api] = servers as readonly [Api];
  assert.deepEqual(await usedOf(api), { "count/configmaps": "100" });
  assert.equal((await api.send("GET", `${ns}/configmaps`)).body.items.length, before + 100);
}

suite("200 racing creates on a quota of 100 leave exactly 100", () => {
  test("with one server", async () => {
    const api = await startApi();
    const before = (await api.send("GET", `${ns}/configmaps`)).body.items.length;
    await limit(api, { "count/configmaps": "100" });
    await assertExactly([api], before);
  });

  test("with three servers on one state", async () => {
    const servers = await Promise.all((await storesUnderTest(new ManualClock(), 3)).map((store) => startApi({ store })));
    const before = (await servers[0]?.send("GET", `${ns}/configmaps`))?.body.items.length;
    await limit(servers[0] as Api, { "count/configmaps": "100" });
    await assertExactly(servers, before);
  });

  test("on disk", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const clock = new ManualClock();
    await using store = await openSqliteStore({ path: join(folder, "state.db"), clock });
    const servers = [await startApi({ store }), await startApi({ store })];
    const before = (await servers[0]?.send("GET", `${ns}/configmaps`))?.body.items.length;
    await limit(servers[0] as Api, { "count/configmaps": "100" });
    await assertExactly(servers, before);
    for (const { server } of servers) await server.close();
  });
});

suite("what is charged", () => {
  test("a write that is refused, or that finds its object there, costs nothing", async () => {
    const api = await startApi();
    await limit(api, { "count/configmaps": "5" });
    const post = (body: object) => api.send("POST", `${ns}/configmaps`, { body });
    assert.equal((await post(configMap("a"))).status, 201);
    assert.equal((await post(configMap("a"))).status, 409);
    assert.equal((await post(configMap("A b"))).status, 422);
    assert.equal((await post(configMap("b", { metadata: { name: "b", namespace: "other" } }))).status, 400);
    assert.deepEqual(await usedOf(api), { "count/configmaps": "1" });
  });

  test("a change of the quota is in force with its answer", async () => {
    const api = await startApi();
    await limit(api, { "count/configmaps": "0" });
    const post = () => api.send("POST", `${ns}/configmaps`, { body: configMap("a") });
    assert.equal((await post()).status, 403);
    await api.send("DELETE", `${ns}/resourcequotas/q`);
    assert.equal((await post()).status, 201);
  });

  test("all quotas of the namespace, or none of them", async () => {
    const api = await startApi();
    await limit(api, { "count/configmaps": "5" }, {}, "a");
    await limit(api, { configmaps: "1" }, {}, "b");
    assert.deepEqual(await createAll([api], 3), { created: 1, refused: 2 });
    assert.deepEqual([await usedOf(api, "a"), await usedOf(api, "b")], [{ "count/configmaps": "1" }, { configmaps: "1" }]);
  });

  test("custom resources by their number", async () => {
    const api = await startApi();
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
    const spec = { group: "example.com", scope: "Namespaced", names: { plural: "seats", kind: "Seat" }, versions };
    await api.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      body: { metadata: { name: "seats.example.com" }, spec },
    });
    await limit(api, { "count/seats.example.com": "1" });
    const post = (name: string) =>
      api.send("POST", "/apis/example.com/v1/namespaces/default/seats", {
        body: { apiVersion: "example.com/v1", kind: "Seat", metadata: { name } },
      });
    assert.deepEqual([(await post("a")).status, (await post("b")).status], [201, 403]);
    assert.deepEqual(await usedOf(api), { "count/seats.example.com": "1" });
  });

  test("a create that another thread serves", async () => {
    const api = await startApi({ offload: "thread" });
    await limit(api, { "count/configmaps": "1" });
    const post = (name: string) => api.send("POST", `${ns}/configmaps`, { body: configMap(name, { data: { long: "x".repeat(200_000) } }) });
    const answers = await Promise.all([post("a"), post("b"), post("c")]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403]);
    assert.deepEqual(await usedOf(api), { "count/configmaps": "1" });
    await api.server.close();
  });
});
