/** Typed calls: what the models send is taken, what comes back fits into them, and errors can be distinguished. */
import assert from "node:assert/strict";
import { apps, as, config, configMap, core, k8s, refused } from "./client.mjs";

async function deployment(namespace) {
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "web:1", ports: [{ containerPort: 80 }], resources: { requests: { cpu: "250m" } } }] },
  };
  const body = { metadata: { name: "web" }, spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template } };
  const created = await apps.createNamespacedDeployment({ namespace, body });
  assert.ok(created instanceof k8s.V1Deployment && created.metadata.creationTimestamp instanceof Date);
  assert.deepEqual(
    [created.spec.strategy.rollingUpdate.maxSurge, created.spec.template.spec.containers[0].ports[0].protocol],
    ["25%", "TCP"],
  );
  const found = await apps.readNamespacedDeployment({ name: "web", namespace });
  assert.deepEqual(found, created);
  found.spec.replicas = 5;
  const replaced = await apps.replaceNamespacedDeployment({ name: "web", namespace, body: found });
  assert.deepEqual([replaced.spec.replicas, replaced.metadata.generation], [5, 2]);
  replaced.status = { replicas: 5, readyReplicas: 4 };
  const status = await apps.replaceNamespacedDeploymentStatus({ name: "web", namespace, body: replaced });
  assert.deepEqual([status.status.readyReplicas, status.metadata.generation], [4, 2]);
}

async function scale(namespace) {
  const template = { metadata: { labels: { app: "scaled" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  const body = { metadata: { name: "scaled" }, spec: { selector: { matchLabels: { app: "scaled" } }, template } };
  await apps.createNamespacedDeployment({ namespace, body });
  const found = await apps.readNamespacedDeploymentScale({ name: "scaled", namespace });
  assert.deepEqual([found.spec.replicas, found.status.selector], [1, "app=scaled"]);
  found.spec.replicas = 4;
  await apps.replaceNamespacedDeploymentScale({ name: "scaled", namespace, body: found });
  await refused(apps.replaceNamespacedDeploymentScale({ name: "scaled", namespace, body: found }), 409, "Conflict");
  const patch = { name: "scaled", namespace, body: { spec: { replicas: 6 } } };
  assert.equal((await apps.patchNamespacedDeploymentScale(patch, as("MergePatch"))).spec.replicas, 6);
}

async function conflict(namespace) {
  const old = await core.createNamespacedConfigMap({ namespace, body: configMap("raced", { n: "0" }) });
  await core.replaceNamespacedConfigMap({ name: "raced", namespace, body: { ...old, data: { n: "1" } } });
  const status = await refused(core.replaceNamespacedConfigMap({ name: "raced", namespace, body: old }), 409, "Conflict");
  assert.equal(
    status.message,
    'Operation cannot be fulfilled on configmaps "raced": the object has been modified; please apply your changes to the latest version and try again',
  );
  const { metadata } = await core.readNamespacedConfigMap({ name: "raced", namespace });
  const remove = (preconditions) => core.deleteNamespacedConfigMap({ name: "raced", namespace, body: { preconditions } });
  await refused(remove({ resourceVersion: old.metadata.resourceVersion }), 409, "Conflict", "the ResourceVersion in the precondition");
  await refused(remove({ uid: "other" }), 409, "Conflict", "the UID in the precondition");
  assert.equal((await remove({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })).status, "Success");
}

async function counter(namespace) {
  await core.createNamespacedConfigMap({ namespace, body: configMap("counter", { n: "0" }) });
  let conflicts = 0;
  const increment = async () => {
    for (;;) {
      const body = await core.readNamespacedConfigMap({ name: "counter", namespace });
      body.data.n = String(Number(body.data.n) + 1);
      const error = await core.replaceNamespacedConfigMap({ name: "counter", namespace, body }).then(
        () => undefined,
        (thrown) => thrown,
      );
      if (error === undefined) return;
      assert.equal(error.code, 409);
      conflicts++;
    }
  };
  await Promise.all(Array.from({ length: 20 }, increment));
  assert.equal((await core.readNamespacedConfigMap({ name: "counter", namespace })).data.n, "20");
  assert.ok(conflicts > 0, "there was no conflict");
}

async function pages(namespace) {
  const names = Array.from({ length: 25 }, (_, i) => `page-${String(i).padStart(2, "0")}`);
  for (const name of names) await core.createNamespacedConfigMap({ namespace, body: configMap(name, {}, { set: "page" }) });
  const seen = [];
  const versions = new Set();
  let token;
  do {
    const page = await core.listNamespacedConfigMap({ namespace, labelSelector: "set=page", limit: 10, _continue: token });
    seen.push(...page.items.map(({ metadata }) => metadata.name));
    versions.add(page.metadata.resourceVersion);
    token = page.metadata._continue;
    await core.patchNamespacedConfigMap({ name: "page-24", namespace, body: { data: { n: String(seen.length) } } }, as("MergePatch"));
  } while (token);
  assert.deepEqual([seen, versions.size], [names, 1]);
}

async function errors(namespace) {
  await refused(core.readNamespacedPod({ name: "absent", namespace }), 404, "NotFound", 'pods "absent" not found');
  await core.createNamespacedConfigMap({ namespace, body: configMap("twice") });
  await refused(core.createNamespacedConfigMap({ namespace, body: configMap("twice") }), 409, "AlreadyExists");
  const invalid = await refused(core.createNamespacedConfigMap({ namespace, body: configMap("No_Name") }), 422, "Invalid");
  assert.equal(invalid.details.causes[0].field, "metadata.name");
  await refused(core.listNamespacedPod({ namespace, labelSelector: "a in b" }), 400, "BadRequest", "unable to parse requirement");
  await refused(core.listNamespacedPod({ namespace, resourceVersion: "1", resourceVersionMatch: "Exact" }), 410, "Expired");
  await core.createNamespacedConfigMap({ namespace, body: configMap("dry"), dryRun: "All" });
  await refused(core.readNamespacedConfigMap({ name: "dry", namespace }), 404, "NotFound");
}

async function lease(namespace) {
  const coordination = config.makeApiClient(k8s.CoordinationV1Api);
  const renewTime = new k8s.V1MicroTime("2026-01-02T03:04:05.006Z");
  const body = { metadata: { name: "lease" }, spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime } };
  const created = await coordination.createNamespacedLease({ namespace, body });
  assert.equal(created.spec.renewTime, "2026-01-02T03:04:05.006000Z");
  delete created.metadata.resourceVersion;
  await refused(coordination.replaceNamespacedLease({ name: "lease", namespace, body: created }), 422, "Invalid", "must be specified");
}

async function pod(namespace) {
  const spec = { containers: [{ name: "main", image: "main:1" }] };
  const created = await core.createNamespacedPod({ namespace, body: { metadata: { name: "bound" }, spec } });
  assert.deepEqual([created.status.phase, created.spec.restartPolicy], ["Pending", "Always"]);
  const body = { metadata: { name: "bound" }, target: { kind: "Node", name: "node-1" } };
  await core.createNamespacedPodBinding({ name: "bound", namespace, body });
  assert.equal((await core.readNamespacedPod({ name: "bound", namespace })).spec.nodeName, "node-1");
  await core.createNamespacedPodEviction({ name: "bound", namespace, body: { metadata: { name: "bound" } } });
  assert.ok((await core.readNamespacedPod({ name: "bound", namespace })).metadata.deletionTimestamp instanceof Date);
  await core.deleteNamespacedPod({ name: "bound", namespace, gracePeriodSeconds: 0 });
  await refused(core.readNamespacedPod({ name: "bound", namespace }), 404, "NotFound");
}

async function server(namespace) {
  assert.equal((await config.makeApiClient(k8s.VersionApi).getCode()).minor, "36");
  assert.equal(await new k8s.Health(config).readyz({}), true);
  const spec = { resourceAttributes: { verb: "create", resource: "pods", namespace } };
  const review = await config.makeApiClient(k8s.AuthorizationV1Api).createSelfSubjectAccessReview({ body: { spec } });
  assert.equal(review.status.allowed, true);
}

export const checks = {
  "a deployment goes round": deployment,
  scale,
  "stale writes and deletions are refused": conflict,
  "retries on conflict count exactly": counter,
  "pages are one snapshot": pages,
  "errors can be distinguished": errors,
  "leases keep microseconds": lease,
  "pods are bound, evicted and deleted": pod,
  "version, health and access reviews": server,
};
