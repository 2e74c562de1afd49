import assert from "node:assert/strict";
import { test } from "node:test";
import { enabledPlugins } from "./plugins.ts";

const names = (...args: Parameters<typeof enabledPlugins>): readonly string[] => enabledPlugins(...args).map(({ name }) => name);

test("ServiceAccount is off unless it is enabled, and off when it is disabled too", () => {
  assert.ok(!names().includes("ServiceAccount"));
  assert.ok(names({ enable: ["ServiceAccount"] }).includes("ServiceAccount"));
  assert.ok(!names({ enable: ["ServiceAccount"], disable: ["ServiceAccount"] }).includes("ServiceAccount"));
});

/** kube-apiserver's order, for those that are here. */
const order = [
  "NamespaceLifecycle",
  "LimitRanger",
  "ServiceAccount",
  "TaintNodesByCondition",
  "PodSecurity",
  "Priority",
  "DefaultTolerationSeconds",
  "DefaultStorageClass",
  "StorageObjectInUseProtection",
  "PersistentVolumeClaimResize",
  "RuntimeClass",
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "DefaultIngressClass",
  "PodTopologyLabels",
  "PodResizeValidator",
];

test("plugins stand in the order of kube-apiserver", () => {
  const enabled = names({ enable: ["ServiceAccount"] });
  assert.deepEqual(
    enabled.filter((name) => order.includes(name)),
    order,
  );
});

test("a plugin that is on can be turned off, and an unknown name is refused", () => {
  assert.ok(!names({ disable: ["Priority"] }).includes("Priority"));
  assert.throws(() => names({ enable: ["No"] }), /admission plugin "No" is unknown/);
});
