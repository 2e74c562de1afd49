import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, changesAfter, startApi } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const merge = "application/merge-patch+json";

const policies = [
  { policy: "Foreground", status: 200, finalizers: ["foregroundDeletion"] },
  { policy: "Orphan", status: 200, finalizers: ["orphan"] },
  { policy: "Background", status: 200, finalizers: undefined },
];
for (const { policy, status, finalizers } of policies) {
  test(`propagation ${policy} speaks through finalizers`, async () => {
    const api = await startApi();
    await api.send("POST", maps, { body: { metadata: { name: "x" } } });
    const answer = await api.send("DELETE", `${maps}/x?propagationPolicy=${policy}`);
    assert.equal(answer.status, status);
    assert.deepEqual(answer.body.metadata.finalizers, finalizers);
    assert.equal((await api.send("GET", `${maps}/x`)).status, finalizers === undefined ? 404 : 200);
  });
}

test("deleting a Job orphans its Pods without a propagationPolicy", async () => {
  const api = await startApi();
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  await api.send("POST", jobs, { body: { metadata: { name: "j" }, spec: { template } } });
  const preserved =
    '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"';
  const warningsOf = async (target: string) => (await api.send("DELETE", target)).headers.warning;
  assert.deepEqual(await warningsOf(`${jobs}/absent`), [preserved]);
  assert.deepEqual(await warningsOf(`${jobs}?labelSelector=a`), [preserved]);
  assert.equal(await warningsOf(`${jobs}/j?dryRun=All&propagationPolicy=Orphan`), undefined);
  assert.equal(await warningsOf(`${jobs}/j?dryRun=All&orphanDependents=false`), undefined);
  const { body, headers } = await api.send("DELETE", `${jobs}/j`);
  assert.deepEqual(body.metadata.finalizers, ["orphan"]);
  assert.deepEqual(headers.warning, [preserved]);
});

test("the answer to a DELETE has the version of the deletion, as the event has", async () => {
  const api = await startApi();
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const version = () => String(api.store.revision);
  await api.send("POST", accounts, { body: { metadata: { name: "a" } } });
  const written = version();
  assert.equal((await api.send("DELETE", `${accounts}/a?dryRun=All`)).body.metadata.resourceVersion, written);
  assert.equal((await api.send("DELETE", `${accounts}/a`)).body.metadata.resourceVersion, version());
  await api.send("POST", accounts, { body: { metadata: { name: "b" } } });
  const { body } = await api.send("DELETE", `${accounts}/b`, { accept: table });
  assert.equal(body.rows[0].object.metadata.resourceVersion, version());
  await api.send("POST", pods, { body: { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } } });
  assert.equal((await api.send("DELETE", `${pods}/p`)).body.metadata.resourceVersion, version());
  await api.send("POST", accounts, { body: { metadata: { name: "c", finalizers: ["example.com/hold"] } } });
  await api.send("DELETE", `${accounts}/c`);
  const marked = version();
  const last = await api.send("PATCH", `${accounts}/c`, { type: merge, body: { metadata: { finalizers: null } } });
  assert.equal(last.body.metadata.resourceVersion, marked);
  assert.notEqual(version(), marked);
});

test("the last finalizer takes the object with it in the same request", async () => {
  const api = await startApi();
  await api.send("POST", maps, { body: { metadata: { name: "x", finalizers: ["example.com/hold"] } } });
  await api.send("DELETE", `${maps}/x`);
  const watching = await api.watch(`${maps}?watch=1&resourceVersion=${api.store.revision}`);
  const answer = await api.send("PATCH", `${maps}/x`, { type: merge, body: { metadata: { finalizers: null } } });
  await watching.settle();
  assert.equal(answer.status, 200);
  assert.deepEqual(
    watching.events.map(({ type }) => type),
    ["DELETED"],
  );
});

async function boundPod(api: Api): Promise<void> {
  await api.send("POST", pods, { body: { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } } });
  const binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
  assert.equal((await api.send("POST", `${pods}/p/binding`, { body: binding })).status, 201);
}

test("a bound Pod gets its grace, which later deletes may only shorten", async () => {
  const api = await startApi();
  await boundPod(api);
  const first = await api.send("DELETE", `${pods}/p`);
  assert.equal(first.body.metadata.deletionGracePeriodSeconds, 30);
  assert.equal(Date.parse(first.body.metadata.deletionTimestamp), api.clock.now() + 30_000);
  const longer = await api.send("DELETE", `${pods}/p?gracePeriodSeconds=60`);
  assert.deepEqual(longer.body.metadata, first.body.metadata);
  const shorter = await api.send("DELETE", `${pods}/p?gracePeriodSeconds=5`);
  assert.equal(shorter.body.metadata.deletionGracePeriodSeconds, 5);
  assert.equal((await api.send("DELETE", `${pods}/p?gracePeriodSeconds=0`)).status, 200);
  assert.equal((await api.send("GET", `${pods}/p`)).status, 404);
});

test("a grace period that a later delete makes shorter does not end in the past", async () => {
  const api = await startApi();
  await boundPod(api);
  await api.send("DELETE", `${pods}/p`);
  await api.clock.advance(20_000);
  const { metadata } = (await api.send("DELETE", `${pods}/p?gracePeriodSeconds=5`)).body;
  assert.deepEqual([metadata.deletionGracePeriodSeconds, Date.parse(metadata.deletionTimestamp)], [1, api.clock.now()]);
});

test("what has no grace period gets none from a later delete either", async () => {
  const api = await startApi();
  await api.send("POST", maps, { body: { metadata: { name: "x", finalizers: ["example.com/hold"] } } });
  const first = await api.send("DELETE", `${maps}/x?gracePeriodSeconds=30`);
  assert.equal(first.body.metadata?.deletionGracePeriodSeconds, 0);
  const { revision } = api.store;
  assert.equal((await api.send("DELETE", `${maps}/x?gracePeriodSeconds=60`)).status, 200);
  assert.deepEqual(changesAfter(api.store, revision), []);
});

test("a Pod that no node has goes at once", async () => {
  const api = await startApi();
  await api.send("POST", pods, { body: { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } } });
  const { body } = await api.send("DELETE", `${pods}/p`);
  assert.equal(body.kind, "Pod");
  assert.equal((await api.send("GET", `${pods}/p`)).status, 404);
});

test("a Namespace waits for its finalizer, takes nothing new, and goes once it is finalized", async () => {
  const api = await startApi();
  const { body: made } = await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "n" } } });
  assert.deepEqual([made.spec.finalizers, made.metadata.labels], [["kubernetes"], { "kubernetes.io/metadata.name": "n" }]);
  const { body: going } = await api.send("DELETE", "/api/v1/namespaces/n");
  assert.deepEqual([going.status.phase, going.metadata.deletionGracePeriodSeconds], ["Terminating", undefined]);
  const refused = await api.send("POST", "/api/v1/namespaces/n/configmaps", { body: { metadata: { name: "x" } } });
  assert.deepEqual([refused.status, refused.body.details.causes[0].reason], [403, "NamespaceTerminating"]);
  const before = api.store.revision;
  await api.send("DELETE", "/api/v1/namespaces/n");
  assert.deepEqual(changesAfter(api.store, before), []);
  const { status } = await api.send("PUT", "/api/v1/namespaces/n/finalize", { body: { ...going, spec: {} } });
  assert.deepEqual([status, (await api.send("GET", "/api/v1/namespaces/n")).status], [200, 404]);
});

test("the namespaces that every cluster has cannot be deleted", async () => {
  const api = await startApi();
  assert.equal((await api.send("DELETE", "/api/v1/namespaces/kube-system")).status, 403);
});

test("a failed precondition of a delete names the Kind", async () => {
  const api = await startApi();
  await api.send("POST", maps, { body: { metadata: { name: "x" } } });
  const body = { preconditions: { uid: "other" } };
  const answer = await api.send("DELETE", `${maps}/x`, { body });
  assert.equal(answer.status, 409);
  assert.match(
    answer.body.message,
    /^Operation cannot be fulfilled on ConfigMap "x": the UID in the precondition \(other\) does not match/,
  );
});

test("a second delete changes the propagation policy", async () => {
  const api = await startApi();
  await api.send("POST", maps, { body: { metadata: { name: "x" } } });
  const finalizersAfter = async (policy: string) =>
    (await api.send("DELETE", `${maps}/x?propagationPolicy=${policy}`)).body.metadata?.finalizers;
  assert.deepEqual(await finalizersAfter("Foreground"), ["foregroundDeletion"]);
  assert.deepEqual(await finalizersAfter("Orphan"), ["orphan"]);
  const before = api.store.revision;
  assert.deepEqual(await finalizersAfter("Orphan"), ["orphan"]);
  assert.deepEqual(changesAfter(api.store, before), []);
  assert.equal(await finalizersAfter("Background"), undefined);
  assert.equal((await api.send("GET", `${maps}/x`)).status, 404);
});

const cascades = [
  { name: "what lingers", finalizers: ["example.com/hold"], status: 202 },
  { name: "what goes at once", finalizers: [], status: 200 },
];
for (const { name, finalizers, status } of cascades) {
  test(`orphanDependents=false answers ${status} for ${name}`, async () => {
    const api = await startApi();
    await api.send("POST", maps, { body: { metadata: { name: "x", finalizers } } });
    assert.equal((await api.send("DELETE", `${maps}/x`, { body: { orphanDependents: false } })).status, status);
  });
}

test("a failed precondition of a Namespace's delete names the resource", async () => {
  const api = await startApi();
  const { body: made } = await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "n" } } });
  const answer = await api.send("DELETE", "/api/v1/namespaces/n", { body: { preconditions: { uid: "other" } } });
  assert.equal(
    answer.body.message,
    `Operation cannot be fulfilled on namespaces "n": Precondition failed: UID in precondition: other, UID in object meta: ${made.metadata.uid}`,
  );
});

test("the first delete of what lingers counts as a change of its desired state, later ones do not", async () => {
  const api = await startApi();
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const body = { metadata: { name: "web", finalizers: ["example.com/hold"] }, spec: { selector: { matchLabels: labels }, template } };
  const { body: made } = await api.send("POST", deployments, { body });
  const generations = [made.metadata.generation];
  for (const policy of ["Background", "Foreground"])
    generations.push((await api.send("DELETE", `${deployments}/web?propagationPolicy=${policy}`)).body.metadata.generation);
  assert.deepEqual(generations, [1, 2, 2]);
});

test("a status write changes metadata, but not a Pod's owners", async () => {
  const api = await startApi();
  await api.send("POST", pods, { body: { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } } });
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "o", uid: "u" }];
  const metadata = { ownerReferences, labels: { a: "b" }, finalizers: ["example.com/x"] };
  const { body } = await api.send("PATCH", `${pods}/p/status`, { type: merge, body: { metadata, spec: { nodeName: "n" } } });
  assert.deepEqual(
    [body.metadata.ownerReferences, body.metadata.labels, body.metadata.finalizers],
    [undefined, { a: "b" }, ["example.com/x"]],
  );
  assert.equal(body.spec.nodeName, undefined);
});
