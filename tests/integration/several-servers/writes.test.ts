/** Rules that span objects hold whichever servers write: quotas, budgets, namespaces, names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Json } from "../api.ts";
import { type Server, startTwo, type TwoServers } from "./two-servers.ts";

const ns = "/api/v1/namespaces/default";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const merge = "application/merge-patch+json";

async function made(answer: Promise<Answer>): Promise<Json> {
  const { status, text, body } = await answer;
  assert.equal(status, 201, text);
  return body;
}

async function limit({ send }: Server, hard: Record<string, string>): Promise<void> {
  const quota = await made(send("POST", `${ns}/resourcequotas`, { body: { metadata: { name: "q" }, spec: { hard } } }));
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, "0"]));
  const { status, text } = await send("PUT", `${ns}/resourcequotas/q/status`, { body: { ...quota, status: { hard, used } } });
  assert.equal(status, 200, text);
}

const createMap = ({ send }: Server, name: string): Promise<Answer> => send("POST", `${ns}/configmaps`, { body: { metadata: { name } } });

const bothHeld = async (): Promise<TwoServers> => {
  const both = await startTwo();
  for (const { store } of [both.one, both.two]) store.hold();
  return both;
};

test("creates that race through two servers leave exactly what a quota allows", async () => {
  const { one, two } = await bothHeld();
  await limit(one, { "count/configmaps": "20" });
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => createMap(i % 2 === 0 ? one : two, `c-${i}`)));
  const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
  assert.deepEqual([count(201), count(403)], [20, 40]);
  for (const server of [one, two]) {
    assert.equal((await server.send("GET", `${ns}/resourcequotas/q`)).body.status.used["count/configmaps"], "20");
    assert.equal((await server.send("GET", `${ns}/configmaps`)).body.items.length, 20);
  }
});

test("a quota that another server has just spent is exceeded", async () => {
  const { one, two } = await startTwo();
  await limit(one, { "count/configmaps": "1" });
  two.store.beforeWrite = async ({ key }) => {
    if (!key.startsWith("/registry/configmaps/")) return;
    two.store.beforeWrite = undefined;
    await made(createMap(one, "a"));
  };
  const { status, body } = await createMap(two, "b");
  assert.equal(status, 403);
  assert.match(body.message, /exceeded quota: q, requested: count\/configmaps=1, used: count\/configmaps=1, limited: count\/configmaps=1/);
});

test("evictions through two servers take no more than a budget has", async () => {
  const { one, two } = await bothHeld();
  const labels = { app: "a" };
  const names = ["p-0", "p-1", "p-2", "p-3"];
  for (const name of names) {
    const pod = { metadata: { name, labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    await made(one.send("POST", `${ns}/pods`, { body: pod }));
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    await one.send("PATCH", `${ns}/pods/${name}/status`, { body: { status }, type: merge });
  }
  const spec = { minAvailable: 3, selector: { matchLabels: labels } };
  await made(one.send("POST", budgets, { body: { metadata: { name: "b" }, spec } }));
  const status = { disruptionsAllowed: 1, desiredHealthy: 3, currentHealthy: 4, expectedPods: 4, observedGeneration: 1 };
  await one.send("PATCH", `${budgets}/b/status`, { body: { status }, type: merge });
  const evict = ({ send }: Server, name: string): Promise<Answer> =>
    send("POST", `${ns}/pods/${name}/eviction`, { body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } } });
  const answers = await Promise.all(names.map((name, i) => evict(i % 2 === 0 ? one : two, name)));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 429, 429, 429]);
  assert.equal((await two.send("GET", `${budgets}/b`)).body.status.disruptionsAllowed, 0);
});

test("nothing is made in a namespace whose deletion another server has begun", async () => {
  const { one, two } = await startTwo();
  await made(one.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "n" } } }));
  const create = (name: string): Promise<Answer> => two.send("POST", "/api/v1/namespaces/n/configmaps", { body: { metadata: { name } } });
  await made(create("before"));
  two.store.beforeWrite = async ({ key }) => {
    if (!key.startsWith("/registry/configmaps/n/")) return;
    two.store.beforeWrite = undefined;
    assert.equal((await one.send("DELETE", "/api/v1/namespaces/n")).status, 200);
  };
  const { status, body } = await create("after");
  assert.equal(status, 403);
  assert.match(body.message, /unable to create new content in namespace n because it is being terminated/);
  const unseen = await create("later");
  assert.equal(unseen.status, 403);
});

test("a name that two servers are asked for at the same time is one client's", async () => {
  const { one, two } = await bothHeld();
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => createMap(i % 2 === 0 ? one : two, "same")));
  const codes = answers.map(({ status }) => status).sort();
  assert.deepEqual(codes, [201, ...Array.from({ length: 9 }, () => 409)]);
  const messages = new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.message));
  assert.deepEqual([...messages], ['configmaps "same" already exists']);
});

test("names that two servers generate differ, though they would choose the same", async () => {
  const { one, two } = await bothHeld();
  const create = ({ send }: Server) => made(send("POST", `${ns}/configmaps`, { body: { metadata: { generateName: "g-" } } }));
  const created = await Promise.all(Array.from({ length: 20 }, (_, i) => create(i % 2 === 0 ? one : two)));
  assert.equal(new Set(created.map(({ metadata }) => metadata.name)).size, 20);
});

test("an update of a version that another server has replaced is a conflict that names its writer", async () => {
  const { one, two } = await bothHeld();
  const map = await made(createMap(one, "a"));
  const update = ({ send }: Server, value: string, manager: string): Promise<Answer> =>
    send("PUT", `${ns}/configmaps/a?fieldManager=${manager}`, { body: { ...map, data: { k: value } } });
  assert.equal((await update(one, "1", "first")).status, 200);
  const lost = await update(two, "2", "second");
  assert.equal(lost.status, 409);
  assert.match(JSON.stringify(lost.body.details), /first/);
});

test("a finalizer that goes on one server ends the object on the other", async () => {
  const { one, two } = await bothHeld();
  const metadata = { name: "f", finalizers: ["example.com/f"] };
  await made(one.send("POST", `${ns}/configmaps`, { body: { metadata } }));
  assert.equal((await two.send("DELETE", `${ns}/configmaps/f`)).body.metadata.deletionTimestamp !== undefined, true);
  assert.equal((await one.send("PATCH", `${ns}/configmaps/f`, { body: { metadata: { finalizers: null } }, type: merge })).status, 200);
  assert.equal((await two.send("GET", `${ns}/configmaps/f`)).status, 404);
});

test("a policy and a webhook configuration of another server count for the next request", async () => {
  const { one, two } = await bothHeld();
  const group = "/apis/admissionregistration.k8s.io/v1";
  const matchConstraints = { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }] };
  const spec = { failurePolicy: "Fail", matchConstraints, validations: [{ expression: "object.metadata.name != 'bad'", message: "no" }] };
  await made(one.send("POST", `${group}/validatingadmissionpolicies`, { body: { metadata: { name: "p" }, spec } }));
  const binding = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } };
  await made(one.send("POST", `${group}/validatingadmissionpolicybindings`, { body: binding }));
  assert.equal((await createMap(two, "bad")).status, 422);
  await one.send("DELETE", `${group}/validatingadmissionpolicybindings/b`);
  assert.equal((await createMap(two, "bad")).status, 201);
});

test("a limit range of another server counts for the next request", async () => {
  const { one, two } = await bothHeld();
  const spec = { limits: [{ type: "Container", default: { cpu: "100m" } }] };
  await made(one.send("POST", `${ns}/limitranges`, { body: { metadata: { name: "l" }, spec } }));
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  assert.deepEqual((await made(two.send("POST", `${ns}/pods`, { body: pod }))).spec.containers[0].resources.limits, { cpu: "100m" });
});
