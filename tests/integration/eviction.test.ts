import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, changesAfter, type Json, startApi } from "./api.ts";

const pods = "/api/v1/namespaces/default/pods";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const merge = "application/merge-patch+json";

interface Setting {
  readonly ready?: boolean;
  readonly phase?: string;
  readonly budgetStatus?: object;
  readonly budgetSpec?: object;
  readonly eviction?: object;
  readonly query?: string;
}

interface Case extends Setting {
  readonly name: string;
  readonly status: number;
  readonly cause?: string;
  readonly message?: string;
}

const healthy = { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
const full = { ...healthy, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 };

async function runningPod(api: Api, { phase = "Running", ready = true }: Setting): Promise<Json> {
  await api.send("POST", pods, {
    body: { metadata: { name: "p", labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  });
  await api.send("POST", `${pods}/p/binding`, { body: { metadata: { name: "p" }, target: { kind: "Node", name: "n" } } });
  const status = { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] };
  return (await api.send("PATCH", `${pods}/p/status`, { type: merge, body: { status } })).body;
}

async function budget(api: Api, name: string, { budgetSpec, budgetStatus }: Setting): Promise<void> {
  const spec = { minAvailable: 1, selector: { matchLabels: { app: "a" } }, ...budgetSpec };
  await api.send("POST", budgets, { body: { metadata: { name }, spec } });
  const { status } = await api.send("PATCH", `${budgets}/${name}/status`, { type: merge, body: { status: budgetStatus } });
  assert.equal(status, 200);
}

const evict = (api: Api, { eviction, query = "" }: Setting) =>
  api.send("POST", `${pods}/p/eviction${query}`, {
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" }, ...eviction },
  });

const disallowed = (reason: string, message: string): object => ({
  conditions: [{ type: "DisruptionAllowed", status: "False", reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" }],
});

const cases: readonly Case[] = [
  { name: "a Pod that no budget guards goes", status: 201 },
  { name: "the older version of Eviction does the same", eviction: { apiVersion: "policy/v1beta1" }, status: 201 },
  {
    name: "an Eviction names its Pod",
    eviction: { metadata: {} },
    status: 400,
    message: "name in URL does not match name in Eviction object",
  },
  { name: "a budget with something left lets a ready Pod go", budgetStatus: healthy, status: 201 },
  {
    name: "a budget with nothing left keeps a ready Pod",
    budgetStatus: full,
    status: 429,
    cause: "The disruption budget b needs 1 healthy pods and has 1 currently",
  },
  {
    name: "a budget that has Pods to spare and nothing left says no more than that",
    budgetStatus: { ...full, currentHealthy: 2 },
    status: 429,
    cause: "The disruption budget b does not allow evicting pods currently",
  },
  {
    name: "a budget that has Pods to spare says why it allows nothing",
    budgetStatus: { ...full, currentHealthy: 2, ...disallowed("Other", "why") },
    status: 429,
    cause: "The disruption budget b does not allow evicting pods currently (Other): why",
  },
  {
    name: "a budget that failed to sync refuses evictions, whatever its numbers",
    budgetStatus: { ...full, ...disallowed("SyncFailed", "no scale") },
    status: 429,
    cause: "The disruption budget b does not allow evicting pods currently because it failed sync: no scale",
  },
  {
    name: "request and content agree on a dry run",
    eviction: { deleteOptions: { dryRun: ["Some"] } },
    query: "?dryRun=All",
    status: 500,
    message: "Non-matching dry-run options in request and content: [All] and [Some]",
  },
  { name: "an unready Pod goes when the others suffice", ready: false, budgetStatus: full, status: 201 },
  {
    name: "an unready Pod stays when the others do not suffice",
    ready: false,
    budgetStatus: { ...full, currentHealthy: 0 },
    status: 429,
    cause: "The disruption budget b needs 1 healthy pods and has 0 currently",
  },
  {
    name: "an unready Pod goes whenever the budget says so",
    ready: false,
    budgetStatus: { ...full, currentHealthy: 0 },
    budgetSpec: { unhealthyPodEvictionPolicy: "AlwaysAllow" },
    status: 201,
  },
  {
    name: "a budget whose numbers are old answers later",
    budgetStatus: { ...healthy, observedGeneration: 0 },
    status: 429,
    cause: "The disruption budget b is still being processed by the server.",
  },
  { name: "a Pod that has not started goes", phase: "Pending", budgetStatus: full, status: 201 },
  { name: "a Pod that is done goes", phase: "Succeeded", budgetStatus: full, status: 201 },
];
for (const { name, status, cause, message, ...setting } of cases) {
  test(name, async () => {
    const api = await startApi();
    await runningPod(api, setting);
    if (setting.budgetStatus !== undefined) await budget(api, "b", setting);
    const answer = await evict(api, setting);
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.body.details?.causes?.[0].message, cause);
    if (message !== undefined) assert.equal(answer.body.message, message);
  });
}

test("what is wrong with the options of the deletion is seen when the budget is spent and the Pod is marked", async () => {
  const api = await startApi();
  await runningPod(api, {});
  await budget(api, "b", { budgetStatus: healthy });
  const refused = await evict(api, { eviction: { deleteOptions: { propagationPolicy: "Sideways" } } });
  assert.deepEqual([refused.status, refused.body.details.kind], [422, "DeleteOptions"]);
  const pod = (await api.send("GET", `${pods}/p`)).body;
  assert.deepEqual([pod.metadata.deletionTimestamp, pod.status.conditions.at(-1).type], [undefined, "DisruptionTarget"]);
  assert.equal((await api.send("GET", `${budgets}/b`)).body.status.disruptionsAllowed, 0);
});

test("an eviction of a Pod with two budgets gets 500 without a reason", async () => {
  const api = await startApi();
  await runningPod(api, {});
  await budget(api, "a", { budgetStatus: healthy });
  await budget(api, "b", { budgetStatus: healthy });
  const { status, body } = await evict(api, {});
  assert.deepEqual([status, body.reason, body.details], [500, undefined, undefined]);
});

test("preconditions of an eviction hold for the Pod as it was", async () => {
  const api = await startApi();
  const pod = await runningPod(api, {});
  const preconditions = { resourceVersion: pod.metadata.resourceVersion };
  await api.send("PATCH", `${pods}/p`, { type: merge, body: { metadata: { labels: { b: "c" } } } });
  const stale = await evict(api, { eviction: { deleteOptions: { preconditions } } });
  assert.equal(stale.status, 409);
  assert.match(stale.body.message, /^Operation cannot be fulfilled on Pod "p": the ResourceVersion in the precondition/);
  const { body: now } = await api.send("GET", `${pods}/p`);
  const fresh = { uid: now.metadata.uid, resourceVersion: now.metadata.resourceVersion };
  assert.equal((await evict(api, { eviction: { deleteOptions: { preconditions: fresh } } })).status, 201);
});

test("the last eviction that a budget allows is noted in its conditions", async () => {
  const api = await startApi();
  await runningPod(api, {});
  await budget(api, "b", { budgetStatus: healthy });
  const before = api.store.revision;
  assert.equal((await evict(api, { query: "?dryRun=All" })).status, 201);
  assert.deepEqual(changesAfter(api.store, before), []);
  assert.equal((await evict(api, {})).status, 201);
  const { status } = (await api.send("GET", `${budgets}/b`)).body;
  assert.deepEqual([status.disruptionsAllowed, Object.keys(status.disruptedPods)], [0, ["p"]]);
  assert.deepEqual(
    status.conditions.map(({ type, status, reason }: Json) => [type, status, reason]),
    [["DisruptionAllowed", "False", "InsufficientPods"]],
  );
});

test("the mark on the Pod has no manager; the server itself manages what it counts in the budget", async () => {
  const api = await startApi();
  await runningPod(api, {});
  await api.send("PATCH", `${pods}/p`, { type: merge, body: { metadata: { finalizers: ["example.com/hold"] } } });
  await budget(api, "b", { budgetStatus: healthy });
  const { body: before } = await api.send("GET", `${pods}/p`);
  assert.equal((await evict(api, {})).status, 201);
  const { body: after } = await api.send("GET", `${pods}/p`);
  assert.equal(after.status.conditions.at(-1).type, "DisruptionTarget");
  assert.deepEqual(after.metadata.managedFields, before.metadata.managedFields);
  const { managedFields } = (await api.send("GET", `${budgets}/b`)).body.metadata;
  const counted = managedFields.find(({ manager }: Json) => manager === "kube-apiserver");
  assert.deepEqual(
    [counted?.subresource, Object.keys(counted?.fieldsV1["f:status"] ?? {})],
    ["status", ["f:conditions", "f:disruptedPods", "f:disruptionsAllowed"]],
  );
});
