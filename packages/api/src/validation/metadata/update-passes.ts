/**
 * How often Kubernetes looks at the metadata of an object that replaces another. All kinds have it looked at once on their way in;
 * each kind's own rules look again: at what may not change, at the whole as if it were new, or at both. Each look tells its errors.
 */

export type MetaPass = "changes" | "whole";

const none: readonly MetaPass[] = [];
const changes: readonly MetaPass[] = ["changes"];
const whole: readonly MetaPass[] = ["whole"];
const changesThenWhole: readonly MetaPass[] = ["changes", "whole"];
const wholeThenChanges: readonly MetaPass[] = ["whole", "changes"];

/** By the group and kind; who is not here has what may not change looked at. */
const ofObjects: ReadonlyMap<string, readonly MetaPass[]> = new Map([
  ...entries(none, "policy PodDisruptionBudget"),
  ...entries(
    whole,
    "admissionregistration.k8s.io MutatingAdmissionPolicy",
    "admissionregistration.k8s.io MutatingAdmissionPolicyBinding",
    "admissionregistration.k8s.io MutatingWebhookConfiguration",
    "admissionregistration.k8s.io ValidatingAdmissionPolicy",
    "admissionregistration.k8s.io ValidatingAdmissionPolicyBinding",
    "admissionregistration.k8s.io ValidatingWebhookConfiguration",
    " LimitRange",
    " PersistentVolume",
    "discovery.k8s.io EndpointSlice",
    "flowcontrol.apiserver.k8s.io FlowSchema",
    "flowcontrol.apiserver.k8s.io PriorityLevelConfiguration",
    "storage.k8s.io CSINode",
    "storage.k8s.io VolumeAttachment",
  ),
  ...entries(
    changesThenWhole,
    " ConfigMap",
    " Endpoints",
    " PersistentVolumeClaim",
    " Pod",
    " Secret",
    " ServiceAccount",
    "apiregistration.k8s.io APIService",
    "apps ControllerRevision",
    "networking.k8s.io Ingress",
    "networking.k8s.io IngressClass",
    "storage.k8s.io VolumeAttributesClass",
  ),
  ...entries(
    wholeThenChanges,
    " Namespace",
    " Node",
    "batch Job",
    "certificates.k8s.io CertificateSigningRequest",
    "networking.k8s.io IPAddress",
    "node.k8s.io RuntimeClass",
    "rbac.authorization.k8s.io ClusterRole",
    "rbac.authorization.k8s.io ClusterRoleBinding",
    "rbac.authorization.k8s.io Role",
    "rbac.authorization.k8s.io RoleBinding",
    "resource.k8s.io DeviceClass",
    "resource.k8s.io ResourceClaim",
    "resource.k8s.io ResourceClaimTemplate",
    "storage.k8s.io CSIStorageCapacity",
    "storage.k8s.io StorageClass",
  ),
]);

const ofStatuses: ReadonlyMap<string, readonly MetaPass[]> = new Map([
  ...entries(
    none,
    "admissionregistration.k8s.io ValidatingAdmissionPolicy",
    "batch CronJob",
    "flowcontrol.apiserver.k8s.io FlowSchema",
    "flowcontrol.apiserver.k8s.io PriorityLevelConfiguration",
    "policy PodDisruptionBudget",
  ),
  ...entries(wholeThenChanges, "certificates.k8s.io CertificateSigningRequest"),
]);

/** @param part as of the write: `main`, `status`, or another subresource */
export function metaPassesOf({ group, kind }: { readonly group: string; readonly kind: string }, part: string): readonly MetaPass[] {
  if (part === "free") return changes;
  return (part === "status" ? ofStatuses : ofObjects).get(`${group} ${kind}`) ?? changes;
}

function entries(passes: readonly MetaPass[], ...kinds: readonly string[]): [string, readonly MetaPass[]][] {
  return kinds.map((kind) => [kind, passes]);
}
