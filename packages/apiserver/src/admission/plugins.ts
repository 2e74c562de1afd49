/** The admission plugins, in Kubernetes' order, and which of them are enabled. */
import type { ServiceIpFamily } from "@coxswain/api";
import type { Clock, KubeObject, RandomSource } from "@coxswain/machinery";
import type { PortRange } from "../configuration/port-range.ts";
import type { Admission, AdmissionChoice, AdmissionPluginFactory } from "../contracts/admission.ts";
import type { AdmissionPluginConfigurations } from "../contracts/admission-configuration.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { Log } from "../contracts/log.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { alwaysAdmit } from "./always-admit.ts";
import { alwaysDeny } from "./always-deny.ts";
import { alwaysPullImages } from "./always-pull-images.ts";
import { certificateApproval } from "./certificate-approval.ts";
import { certificateSigning } from "./certificate-signing.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";
import { AdmissionChain } from "./chain.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { denyServiceExternalIps } from "./deny-service-external-ips.ts";
import { eventRateLimit } from "./event-rate-limit.ts";
import { extendedResourceToleration } from "./extended-resource-toleration.ts";
import { imagePolicyWebhook } from "./image-policy-webhook.ts";
import { limitPodHardAntiAffinityTopology } from "./limit-pod-hard-anti-affinity-topology.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceAutoProvision } from "./namespace-auto-provision.ts";
import { namespaceExists } from "./namespace-exists.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";
import { nodeRestriction } from "./node-restriction/node-restriction.ts";
import { ownerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { podNodeSelector } from "./pod-node-selector.ts";
import { podResizeValidator } from "./pod-resize-validator.ts";
import { podSecurityAdmission } from "./pod-security.ts";
import { podTolerationRestriction } from "./pod-toleration-restriction.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { mutatingAdmissionPolicy } from "./policies/mutating/mutating-admission-policy.ts";
import { policyParameterAccess } from "./policies/parameter-access.ts";
import { validatingAdmissionPolicy } from "./policies/validating/validating-admission-policy.ts";
import { priority } from "./priority.ts";
import { rbacEscalation } from "./rbac-escalation.ts";
import { resourceQuotaAdmission } from "./resource-quota/resource-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { serviceAddresses } from "./service-addresses.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { systemPriority } from "./system-priority.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";
import { mutatingAdmissionWebhook } from "./webhooks/mutating-admission-webhook.ts";
import { validatingAdmissionWebhook } from "./webhooks/validating-admission-webhook.ts";

/** What plugins can be given: each names those that it needs. */
export interface AdmissionServices extends ObjectReader {
  readonly served: Pick<ServedResources, "find" | "byKind" | "of">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly authorize: Authorizer;
  readonly webhooks: Webhooks;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly configuration: AdmissionPluginConfigurations;
  /** Of the cluster; the first is the default. */
  readonly serviceIpFamilies: readonly ServiceIpFamily[];
  /** What Services may have as node ports. */
  readonly serviceNodePorts: PortRange;
  /** As the server itself. */
  readonly createNamespace: (namespace: KubeObject) => Promise<unknown>;
}

const plugins: readonly AdmissionPluginFactory<AdmissionServices>[] = [
  alwaysAdmit,
  namespaceAutoProvision,
  namespaceLifecycle,
  namespaceExists,
  limitPodHardAntiAffinityTopology,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  alwaysPullImages,
  imagePolicyWebhook,
  podSecurityAdmission,
  podNodeSelector,
  priority,
  systemPriority,
  defaultTolerationSeconds,
  podTolerationRestriction,
  eventRateLimit,
  extendedResourceToleration,
  defaultStorageClass,
  storageObjectInUseProtection,
  ownerReferencesPermissionEnforcement,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  defaultIngressClass,
  denyServiceExternalIps,
  podTopologyLabels,
  nodeDeclaredFeatureValidator,
  podResizeValidator,
  serviceAddresses,
  rbacEscalation,
  policyParameterAccess,
  mutatingAdmissionPolicy,
  mutatingAdmissionWebhook,
  validatingAdmissionPolicy,
  validatingAdmissionWebhook,
  resourceQuotaAdmission,
  alwaysDeny,
];

/** The enabled plugins as one. @throws TypeError for a name that no plugin has */
export const createAdmission = (choice: AdmissionChoice | undefined, services: Omit<AdmissionServices, "configuration">): Admission => {
  const configured = { ...services, configuration: choice?.configuration ?? {} };
  return new AdmissionChain(enabledPlugins(choice).map((plugin) => plugin.create(configured)));
};

/** @throws TypeError for a name that no plugin has */
export function enabledPlugins({ enable = [], disable = [] }: AdmissionChoice = {}): readonly AdmissionPluginFactory<AdmissionServices>[] {
  for (const name of [...enable, ...disable])
    if (!isAdmissionPlugin(name)) throw new TypeError(`admission plugin ${JSON.stringify(name)} is unknown`);
  return plugins.filter(({ name, offByDefault = false }) => (enable.includes(name) || !offByDefault) && !disable.includes(name));
}

/** Those of kube-apiserver 1.36 that do nothing there either unless a feature gate is on: they may be named. */
const inactive: ReadonlySet<string> = new Set([
  "ClusterTrustBundleAttest",
  "JobValidation",
  "PodGroupProtection",
  "PodGroupWorkloadExists",
]);

/** Whether a plugin has this name. */
export const isAdmissionPlugin = (name: string): boolean => inactive.has(name) || plugins.some((plugin) => plugin.name === name);
