import assert from "node:assert/strict";
import { before, test } from "node:test";
import { builtinTypeFacts, createResourceRegistry, loadDescriptions } from "@coxswain/api";

const facts = builtinTypeFacts();
let describe: Awaited<ReturnType<typeof loadDescriptions>>;
before(async () => {
  describe = await loadDescriptions();
});

/** Types of the same form share their texts. */
const shared = /Condition$|Affinity$|HorizontalPodAutoscalerSpec$/;
const ofKinds = ["apiVersion", "kind", "metadata", "spec", "status", "items"];

test("every text is of a field that exists", () => {
  const unknown: string[] = [];
  for (const [name, { gvk, fields }] of facts) {
    if (shared.test(name)) continue;
    const known = ["", ...Object.keys(fields ?? {}), ...(gvk === undefined ? [] : ofKinds)];
    unknown.push(
      ...Object.keys(describe(name))
        .filter((field) => !known.includes(field))
        .map((field) => `${name}.${field}`),
    );
  }
  assert.deepEqual(unknown, []);
});

const complete = [
  "io.k8s.api.core.v1.Pod",
  "io.k8s.api.core.v1.PodSpec",
  "io.k8s.api.core.v1.Container",
  "io.k8s.api.core.v1.Service",
  "io.k8s.api.core.v1.ServiceSpec",
  "io.k8s.api.core.v1.ConfigMap",
  "io.k8s.api.core.v1.Secret",
  "io.k8s.api.core.v1.Namespace",
  "io.k8s.api.core.v1.NodeSpec",
  "io.k8s.api.core.v1.PersistentVolumeSpec",
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec",
  "io.k8s.api.core.v1.ServiceAccount",
  "io.k8s.api.core.v1.Event",
  "io.k8s.api.apps.v1.DeploymentSpec",
  "io.k8s.api.apps.v1.ReplicaSetSpec",
  "io.k8s.api.apps.v1.StatefulSetSpec",
  "io.k8s.api.apps.v1.DaemonSetSpec",
  "io.k8s.api.batch.v1.JobSpec",
  "io.k8s.api.batch.v1.CronJobSpec",
  "io.k8s.api.coordination.v1.LeaseSpec",
  "io.k8s.api.networking.v1.IngressSpec",
  "io.k8s.api.policy.v1.PodDisruptionBudgetSpec",
  "io.k8s.api.rbac.v1.PolicyRule",
  "io.k8s.api.rbac.v1.ClusterRoleBinding",
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
];
for (const name of complete) {
  test(`${name} is described in full`, () => {
    const fields = Object.keys(facts.get(name)?.fields ?? {});
    const texts = describe(name);
    assert.deepEqual(
      ["", ...fields].filter((field) => texts[field] === undefined),
      [],
    );
  });
}

test("every column of a Table is described", () => {
  for (const { resource, strategy } of createResourceRegistry().all()) {
    for (const { name, description } of strategy.columns?.definitions ?? []) assert.notEqual(description, "", `${resource} ${name}`);
  }
});
