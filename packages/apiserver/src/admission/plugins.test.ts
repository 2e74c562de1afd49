import assert from "node:assert/strict";
import { test } from "node:test";
import { enabledPlugins } from "./plugins.ts";

const names = (...args: Parameters<typeof enabledPlugins>): readonly string[] => enabledPlugins(...args).map(({ name }) => name);

test("ServiceAccount is off unless it is enabled, and off when it is disabled too", () => {
  assert.ok(!names().includes("ServiceAccount"));
  assert.ok(names({ enable: ["ServiceAccount"] }).includes("ServiceAccount"));
  assert.ok(!names({ enable: ["ServiceAccount"], disable: ["ServiceAccount"] }).includes("ServiceAccount"));
});

/** All of kube-apiserver 1.36.3 in the order in which it asks them; off by default are those with a minus in front. */
const recorded = `
  -AlwaysAdmit -NamespaceAutoProvision NamespaceLifecycle -NamespaceExists -LimitPodHardAntiAffinityTopology LimitRanger
  ServiceAccount -NodeRestriction TaintNodesByCondition -AlwaysPullImages -ImagePolicyWebhook PodSecurity -PodNodeSelector
  Priority DefaultTolerationSeconds -PodTolerationRestriction -EventRateLimit -ExtendedResourceToleration DefaultStorageClass
  StorageObjectInUseProtection PodGroupProtection -OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize RuntimeClass
  CertificateApproval CertificateSigning ClusterTrustBundleAttest CertificateSubjectRestriction DefaultIngressClass
  -DenyServiceExternalIPs PodTopologyLabels PodGroupWorkloadExists NodeDeclaredFeatureValidator JobValidation PodResizeValidator
  MutatingAdmissionPolicy MutatingAdmissionWebhook ValidatingAdmissionPolicy ValidatingAdmissionWebhook ResourceQuota -AlwaysDeny
`
  .trim()
  .split(/\s+/);

/** On by default where there are accounts, and where there are kubelets. */
const ofTheCommand = new Set(["ServiceAccount", "NodeRestriction"]);

test("plugins stand in the order of kube-apiserver, and are off where they are there", () => {
  const all = recorded.map((word) => word.replace("-", ""));
  const known = names({ enable: all });
  const order = all.filter((name) => known.includes(name));
  assert.deepEqual(
    known.filter((name) => all.includes(name)),
    order,
  );
  // What is left does nothing in Kubernetes either while its feature gate is off.
  const left = all.filter((name) => !known.includes(name));
  assert.deepEqual(left, ["PodGroupProtection", "ClusterTrustBundleAttest", "PodGroupWorkloadExists", "JobValidation"]);
  const off = recorded.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  const on = names();
  for (const name of order.filter((one) => !ofTheCommand.has(one))) assert.equal(on.includes(name), !off.includes(name), name);
});

test("a plugin that is on can be turned off, and an unknown name is refused", () => {
  assert.ok(!names({ disable: ["Priority"] }).includes("Priority"));
  assert.throws(() => names({ enable: ["No"] }), /admission plugin "No" is unknown/);
});
