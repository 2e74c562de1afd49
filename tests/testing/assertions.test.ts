/** The checks of objects and errors: what holds, and what a failure says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, type KubeObject, nodes, pods } from "@coxswain/client";
import { conflict, failure, notFound } from "@coxswain/machinery";
import {
  assertAlreadyExists,
  assertCondition,
  assertConflict,
  assertControlledBy,
  assertEventuallyCondition,
  assertEventuallyDeleted,
  assertEventuallyReady,
  assertFinalizer,
  assertForbidden,
  assertInvalid,
  assertNotFound,
  assertReady,
  eventually,
  startCluster,
  virtualClock,
  WaitError,
} from "coxswain/testing";

const object = (kind: string, rest: object, generation = 2): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "web", namespace: "shop", generation },
  ...rest,
});
const withConditions = (...conditions: object[]): KubeObject => object("Pod", { status: { conditions } });
const notReady = { type: "Ready", status: "False", reason: "ContainersNotReady", message: "unready: [web]" };
const ready = { type: "Ready", status: "True" };
const gvr = { group: "apps", version: "v1", resource: "deployments" };
const modified = conflict(gvr, "web", "the object has been modified");
const invalid = failure(422, "Invalid", "web is invalid", { causes: [{ field: "spec.replicas", message: "must be positive" }] });
const workload = (kind: string, spec: object, status: object, generation?: number) => object(kind, { spec, status }, generation);

const holds: readonly [name: string, check: () => unknown][] = [
  ["a condition that is True", () => assertCondition(withConditions(notReady, { type: "Initialized", status: "True" }), "Initialized")],
  [
    "a condition with status, reason and message",
    () => assertCondition(withConditions(notReady), "Ready", { status: "False", reason: "ContainersNotReady", message: /^unready/ }),
  ],
  ["a condition of the newest generation", () => assertCondition(withConditions({ ...ready, observedGeneration: 2 }), "Ready")],
  ["a Pod that is ready", () => assertReady(withConditions(ready))],
  [
    "a Deployment with all its Pods",
    () => assertReady(workload("Deployment", { replicas: 2 }, { observedGeneration: 2, updatedReplicas: 2, readyReplicas: 2 })),
  ],
  ["a Deployment of none", () => assertReady(workload("Deployment", { replicas: 0 }, { observedGeneration: 2 }))],
  [
    "a StatefulSet that names no number",
    () => assertReady(workload("StatefulSet", {}, { observedGeneration: 2, updatedReplicas: 1, readyReplicas: 1 })),
  ],
  [
    "a DaemonSet on each node",
    () =>
      assertReady(
        workload("DaemonSet", {}, { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberReady: 3 }),
      ),
  ],
  ["a finalizer", () => assertFinalizer(object("Pod", { metadata: { name: "web", finalizers: ["x/y"] } }), "x/y")],
  [
    "an owner",
    () =>
      assertControlledBy(
        object("Pod", { metadata: { name: "p", ownerReferences: [{ uid: "1", kind: "Set", name: "s", controller: true }] } }),
        object("Set", { metadata: { name: "s", uid: "1" } }),
      ),
  ],
  ["a conflict", () => assertConflict(modified)],
  ["what is not found", () => assertNotFound(notFound(gvr, "web"))],
  ["what exists", () => assertAlreadyExists(failure(409, "AlreadyExists", "there"))],
  ["what is forbidden", () => assertForbidden(failure(403, "Forbidden", "no"))],
  ["what is invalid in a field", () => assertInvalid(invalid, "spec.replicas")],
];
for (const [name, check] of holds) test(`${name}: holds`, () => void check());

const fails: readonly [name: string, check: () => unknown, message: string | RegExp][] = [
  [
    "a condition that is False shows all that there are",
    () => assertCondition(withConditions(notReady, { type: "PodScheduled", status: "True" }), "Ready"),
    "expected Pod shop/web to have the condition Ready=True\nits conditions:\n  Ready=False (ContainersNotReady: unready: [web])\n  PodScheduled=True",
  ],
  [
    "no conditions",
    () => assertCondition(object("Pod", {}), "Ready", { reason: "X" }),
    "expected Pod shop/web to have the condition Ready=True with reason X\nit has no conditions",
  ],
  [
    "another reason",
    () => assertCondition(withConditions(notReady), "Ready", { status: "False", reason: "Else" }),
    /Ready=False with reason Else\n/,
  ],
  [
    "a condition of an older generation",
    () => assertCondition(withConditions({ ...ready, observedGeneration: 1 }), "Ready"),
    /Ready=True, observed before generation 2$/,
  ],
  [
    "a Deployment with too few",
    () => assertReady(workload("Deployment", { replicas: 3 }, { observedGeneration: 2, updatedReplicas: 3, readyReplicas: 1 })),
    "expected Deployment shop/web to be ready\nupdatedReplicas is 3 of 3, readyReplicas is 1 of 3",
  ],
  [
    "a Deployment whose Pods are of the template before",
    () => assertReady(workload("Deployment", { replicas: 1 }, { observedGeneration: 2, readyReplicas: 1 })),
    /updatedReplicas is 0 of 1/,
  ],
  [
    "a Deployment that its controller has not seen",
    () => assertReady(workload("Deployment", { replicas: 0 }, { observedGeneration: 1 })),
    /observedGeneration is 1, before 2/,
  ],
  [
    "a ConfigMap, which is never ready",
    () => assertReady(object("ConfigMap", {})),
    "expected ConfigMap shop/web to be ready\nit has no conditions",
  ],
  [
    "a finalizer that is not there",
    () => assertFinalizer(object("Pod", {}), "x/y"),
    "expected Pod shop/web to have the finalizer x/y\nit has no finalizers",
  ],
  [
    "an owner of the same name",
    () =>
      assertControlledBy(
        object("Pod", { metadata: { name: "p", ownerReferences: [{ uid: "1", kind: "Set", name: "s", controller: true }] } }),
        object("Set", { metadata: { name: "s", uid: "2" } }),
      ),
    "expected Pod p to be controlled by Set s with uid 2\nits controller is Set s with uid 1",
  ],
  [
    "another answer",
    () => assertConflict(notFound(gvr, "web")),
    'expected the error 404 NotFound "deployments.apps "web" not found" to be a conflict (409 Conflict)',
  ],
  ["no error at all", () => assertConflict(undefined), "expected undefined to be a conflict (409 Conflict)"],
  ["another field", () => assertInvalid(invalid, "spec.paused"), /at spec\.paused\nit names spec\.replicas$/],
];
for (const [name, check, message] of fails)
  test(`${name}: fails and says so`, () => assert.throws(check, { name: "AssertionError", message }));

const untyped = <T>(value: unknown): T => value as T;

test("what is no object is refused, with the missing await", () => {
  assert.throws(
    () => assertCondition(untyped(Promise.resolve(withConditions(ready))), "Ready"),
    /a promise is no object of Kubernetes: await it/,
  );
  assert.throws(() => assertReady(untyped(undefined)), /undefined is no object of Kubernetes/);
  assert.throws(() => assertCondition(withConditions(ready), "Ready", untyped({ reasons: "X" })), /did you mean reason\?/);
});

test("assertions of errors are what assert.rejects asks", async () => {
  await using cluster = await startCluster();
  const maps = cluster.client.resource(configMaps);
  await assert.rejects(maps.get("none"), assertNotFound);
  const read = await maps.create({ metadata: { name: "app" } });
  await maps.update({ ...read, data: { n: "1" } });
  await assert.rejects(maps.update({ ...read, data: { n: "2" } }), assertConflict);
  await assert.rejects(maps.create({ metadata: { name: "app" } }), assertAlreadyExists);
  await assert.rejects(maps.create({ metadata: { name: "Not A Name" } }), (error) => assertInvalid(error, "metadata.name"));
  const outsider = cluster.clientFor({ name: "joe", groups: ["devs"] });
  await assert.rejects(outsider.resource(configMaps).get("app"), assertForbidden);
});

const virtual = () => startCluster({ clock: virtualClock({ autoAdvance: true }) });
const node = { metadata: { name: "one" } };

test("what becomes so is waited for, and its object comes back", async () => {
  await using cluster = await virtual();
  const handle = cluster.object(nodes, "one");
  const waits = [assertEventuallyReady(handle), assertEventuallyCondition(handle, "Ready", { reason: "KubeletReady", timeoutMs: 60_000 })];
  await cluster.client.resource(nodes).create(node);
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message: "" }];
  await cluster.client.resource(nodes).modify("one", (draft) => ({ ...draft, status: { conditions } }), { subresource: "status" });
  for (const found of await Promise.all(waits)) assert.equal(found.metadata?.name, "one");
  await cluster.client.resource(nodes).delete("one");
  await assertEventuallyDeleted(handle);
});

test("what does not become so fails with what the assertion says of the last state", async () => {
  await using cluster = await virtual();
  await cluster.client.resource(nodes).create(node);
  const handle = cluster.object(nodes, "one");
  await assert.rejects(assertEventuallyCondition(handle, "Ready", { timeoutMs: 5_000 }), (error) => {
    assert.ok(error instanceof WaitError);
    assert.match(
      error.message,
      /^nodes "one": not within 5000 ms: expected Node one to have the condition Ready=True\nit has no conditions\nLast seen:\n/,
    );
    return true;
  });
  await assert.rejects(
    assertEventuallyReady(cluster.object(pods, "none"), { timeoutMs: 5 }),
    /pods "none" in namespace "default": it did not exist within 5 ms\. It was never seen\.(?:\nThe run is recorded in .*)?$/,
  );
  await assert.rejects(
    eventually(handle, () => false, { timeoutMs: 5 }),
    /not within 5 ms: the assertion was false/,
  );
  await assert.rejects(
    eventually(handle, async () => true),
    { name: "TypeError", message: /returns a promise/ },
  );
  await assert.rejects(assertEventuallyDeleted(handle, { timeoutMs: 5 }), /delete did not hold within 5 ms/);
});

test("eventually takes any assertion", async () => {
  await using cluster = await virtual();
  const maps = cluster.client.resource(configMaps);
  const found = eventually(cluster.object(configMaps, "app"), ({ data }) => assert.deepEqual(data, { n: "2" }));
  const read = await maps.create({ metadata: { name: "app" }, data: { n: "1" } });
  await maps.update({ ...read, data: { n: "2" } });
  assert.deepEqual((await found).data, { n: "2" });
});
