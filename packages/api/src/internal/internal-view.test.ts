import assert from "node:assert/strict";
import { test } from "node:test";
import { internalDiff, internalView } from "./internal-view.ts";

test("an object shows all its fields in their order, and zeros and nulls for what is not there", () => {
  const affinity = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "k", operator: "Exists" }] }] } };
  assert.equal(
    JSON.stringify(internalView("VolumeNodeAffinity", affinity)),
    '{"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"k","Operator":"Exists","Values":null}],"MatchFields":null}]}}',
  );
});

test("what a Pod says of its host's namespaces is part of its security context", () => {
  const pod = internalView("PodSpec", { hostNetwork: true, securityContext: { runAsUser: 1 } }) as {
    SecurityContext: Record<string, unknown>;
  };
  const { HostNetwork, HostPID, ShareProcessNamespace, RunAsUser } = pod.SecurityContext;
  assert.deepEqual([HostNetwork, HostPID, ShareProcessNamespace, RunAsUser], [true, false, null, 1]);
});

test("a template's metadata is in its published form, and maps are sorted", () => {
  const template = internalView("PodTemplateSpec", { metadata: { creationTimestamp: null, labels: { b: "2", a: "1" } }, spec: {} });
  assert.match(JSON.stringify(template), /^\{"labels":\{"a":"1","b":"2"\},"Spec":\{"Volumes":null,/);
  assert.equal(JSON.stringify(internalView("{}quantity", { storage: "1Gi", cpu: "1" })), '{"cpu":"1","storage":"1Gi"}');
});

test("a difference shows the lines of the internal form", () => {
  const [before, after] = [{ storageClassName: "fast" }, { storageClassName: "slow" }];
  assert.match(internalDiff("PersistentVolumeClaimSpec", before, after), /^@@ [^\n]* @@\n(?: [^\n]*\n)*-[^\n]*"fast",\n\+[^\n]*"slow",\n/);
});
