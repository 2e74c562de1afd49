/** Server-side apply: every field has its managers, and none changes another's by accident. */
import assert from "node:assert/strict";
import { apps, as, config, core, k8s, refused } from "./client.mjs";

const byForce = { force: true };

/** What the manager "owner" applies: two labels, and a container with a port. */
function wanted(name, spec = {}, labels = { tier: "web" }) {
  const pod = { containers: [{ name: "main", image: "main:1", ports: [{ containerPort: 80 }] }] };
  const template = { metadata: { labels: { app: name } }, spec: pod };
  return { metadata: { labels: { app: name, ...labels } }, spec: { selector: { matchLabels: { app: name } }, template, ...spec } };
}

/** Applies to the deployment of that name, or to its status, as some manager. */
function deployment(namespace, name) {
  const call = (method) => (fieldManager, change, options) => {
    const body = { apiVersion: "apps/v1", kind: "Deployment", ...change, metadata: { name, ...change.metadata } };
    return method.call(apps, { name, namespace, body, fieldManager, ...options }, as("ServerSideApply"));
  };
  return {
    apply: call(apps.patchNamespacedDeployment),
    applyStatus: call(apps.patchNamespacedDeploymentStatus),
    read: () => apps.readNamespacedDeployment({ name, namespace }),
    update: (body) => apps.patchNamespacedDeployment({ name, namespace, body, fieldManager: "patcher" }, as("StrategicMergePatch")),
  };
}

/** Who manages what: the fields by manager, operation and subresource. */
function owned({ metadata }) {
  for (const { apiVersion, fieldsType, time } of metadata.managedFields)
    assert.deepEqual([apiVersion, fieldsType, time instanceof Date], ["apps/v1", "FieldsV1", true]);
  return Object.fromEntries(
    metadata.managedFields.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(" "),
      fieldsV1,
    ]),
  );
}

async function creates(namespace) {
  const { apply, read } = deployment(namespace, "created");
  const made = await apply("owner", wanted("created", { replicas: 2 }));
  assert.deepEqual([made.metadata.generation, made.spec.replicas, made.spec.revisionHistoryLimit], [1, 2, 10]);
  assert.deepEqual(await read(), made);
  // A port is known by its number and protocol, though the protocol was not given. What was only defaulted has no manager.
  const ports = { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } };
  const containers = { 'k:{"name":"main"}': { ".": {}, "f:name": {}, "f:image": {}, "f:ports": ports } };
  const template = { "f:metadata": { "f:labels": { "f:app": {} } }, "f:spec": { "f:containers": containers } };
  assert.deepEqual(owned(made), {
    "owner Apply": {
      "f:metadata": { "f:labels": { "f:app": {}, "f:tier": {} } },
      "f:spec": { "f:replicas": {}, "f:selector": {}, "f:template": template },
    },
  });
}

async function unchanged(namespace) {
  const { apply } = deployment(namespace, "same");
  const first = await apply("owner", wanted("same"));
  assert.deepEqual(await apply("owner", wanted("same")), first);
  const tried = await apply("owner", wanted("same", { replicas: 5 }), { dryRun: "All" });
  const again = await apply("owner", wanted("same"));
  assert.deepEqual([tried.spec.replicas, again.metadata.resourceVersion], [5, first.metadata.resourceVersion]);
}

async function conflicts(namespace) {
  const { apply, read, update } = deployment(namespace, "disputed");
  const first = await apply("owner", wanted("disputed", { replicas: 2 }));
  const other = apply("other", { metadata: { labels: { tier: "shop" } }, spec: { replicas: 3, minReadySeconds: 7 } });
  const status = await refused(other, 409, "Conflict");
  assert.equal(status.message, 'Apply failed with 2 conflicts: conflicts with "owner":\n- .metadata.labels.tier\n- .spec.replicas');
  const cause = { reason: "FieldManagerConflict", message: 'conflict with "owner"' };
  assert.deepEqual(status.details.causes, [
    { ...cause, field: ".metadata.labels.tier" },
    { ...cause, field: ".spec.replicas" },
  ]);
  // Nothing of it was written.
  assert.deepEqual(await read(), first);
  await update({ spec: { template: { spec: { containers: [{ name: "main", image: "main:2" }] } } } });
  const { details } = await refused(apply("owner", wanted("disputed", { replicas: 2 })), 409, "Conflict");
  assert.deepEqual(
    details.causes.map(({ reason, field }) => [reason, field]),
    [["FieldManagerConflict", '.spec.template.spec.containers[name="main"].image']],
  );
  assert.match(details.causes[0].message, /^conflict with "patcher" using apps\/v1/);
}

async function forces(namespace) {
  const { apply } = deployment(namespace, "forced");
  await apply("owner", wanted("forced", { replicas: 2 }));
  const taken = await apply("other", { spec: { replicas: 3 } }, byForce);
  assert.deepEqual([taken.spec.replicas, owned(taken)["other Apply"]], [3, { "f:spec": { "f:replicas": {} } }]);
  assert.equal(owned(taken)["owner Apply"]["f:spec"]["f:replicas"], undefined);
  await refused(apply("owner", wanted("forced", { replicas: 2 })), 409, "Conflict", 'conflict with "other": .spec.replicas');
  // Who wants the same shares the field, and then neither changes it alone.
  const shared = await apply("owner", wanted("forced", { replicas: 3 }));
  assert.deepEqual(
    Object.values(owned(shared)).map((fields) => fields["f:spec"]["f:replicas"]),
    [{}, {}],
  );
  await refused(apply("other", { spec: { replicas: 4 } }), 409, "Conflict", 'conflict with "owner": .spec.replicas');
}

async function givesUp(namespace) {
  const { apply } = deployment(namespace, "given-up");
  await apply("owner", wanted("given-up", { replicas: 2 }));
  const containers = [{ name: "main", env: [{ name: "A", value: "1" }] }];
  const both = await apply("other", { metadata: { annotations: { note: "mine" } }, spec: { template: { spec: { containers } } } });
  assert.deepEqual([both.metadata.annotations, both.spec.template.spec.containers[0].env[0].name], [{ note: "mine" }, "A"]);
  // Its own are gone, another's stay.
  const left = await apply("other", {});
  const [main] = left.spec.template.spec.containers;
  assert.deepEqual([left.metadata.annotations, main.env, main.image, left.spec.replicas], [undefined, undefined, "main:1", 2]);
  assert.deepEqual(Object.keys(owned(left)), ["owner Apply"]);
  // What has a default gets it back.
  const { metadata, spec } = await apply("owner", wanted("given-up", {}, {}));
  assert.deepEqual([spec.replicas, metadata.labels], [1, { app: "given-up" }]);
}

async function status(namespace) {
  const { apply, applyStatus } = deployment(namespace, "observed");
  await apply("owner", wanted("observed", { replicas: 2 }));
  const report = { readyReplicas: 1, replicas: 2, conditions: [{ type: "Available", status: "False" }] };
  const seen = await applyStatus("observer", { spec: { replicas: 9 }, status: report });
  assert.deepEqual([seen.status.readyReplicas, seen.spec.replicas, seen.metadata.generation], [1, 2, 1]);
  const conditions = { 'k:{"type":"Available"}': { ".": {}, "f:type": {}, "f:status": {} } };
  const { "owner Apply": spec, ...others } = owned(seen);
  assert.equal(spec["f:status"], undefined);
  assert.deepEqual(others, {
    "observer Apply status": { "f:status": { "f:readyReplicas": {}, "f:replicas": {}, "f:conditions": conditions } },
  });
  const meddled = applyStatus("meddler", { status: { readyReplicas: 2 } });
  await refused(meddled, 409, "Conflict", 'conflict with "observer" with subresource "status": .status.readyReplicas');
  assert.equal((await applyStatus("observer", {})).status.conditions, undefined);
}

async function refuses(namespace) {
  const { apply } = deployment(namespace, "wrong");
  await refused(apply(undefined, wanted("wrong")), 422, "Invalid", "fieldManager: Required value");
  await refused(apply("owner", { ...wanted("wrong"), metadata: { uid: "7" } }), 409, "Conflict");
  await refused(apply("owner", { ...wanted("wrong"), kind: "DaemonSet" }), 400, "BadRequest");
  await refused(apply("owner", wanted("wrong", { replicas: -1 })), 422, "Invalid", "spec.replicas: Invalid value: -1");
}

async function objects(namespace) {
  const client = k8s.KubernetesObjectApi.makeApiClient(config);
  const apply = (manager, data, force) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "loose", namespace }, data };
    return client.patch(object, undefined, undefined, manager, force, k8s.PatchStrategy.ServerSideApply);
  };
  const first = await apply("one", { a: "1", b: "1" });
  assert.deepEqual(await apply("one", { a: "1", b: "1" }), first);
  await refused(apply("two", { a: "2" }), 409, "Conflict", 'Apply failed with 1 conflict: conflict with "one": .data.a');
  assert.deepEqual((await apply("two", { a: "2" }, true)).data, { a: "2", b: "1" });
  await apply("one", { c: "1" });
  const { data, metadata } = await core.readNamespacedConfigMap({ name: "loose", namespace });
  assert.deepEqual(data, { a: "2", c: "1" });
  assert.deepEqual(Object.fromEntries(metadata.managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1])), {
    one: { "f:data": { "f:c": {} } },
    two: { "f:data": { "f:a": {} } },
  });
}

export const checks = {
  creates,
  "again writes nothing": unchanged,
  "conflicts with another's value": conflicts,
  "by force takes over": forces,
  "gives up what it no longer says": givesUp,
  "to the status": status,
  "refuses what is wrong": refuses,
  "with objects of any kind": objects,
};
