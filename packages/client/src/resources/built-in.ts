/** Every resource that Kubernetes itself has, for `client.resource(pods)`. Written by scripts/generate-client-resources.ts. */
import type * as api from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import type { ResourceRef } from "../contracts/resource-ref.ts";

type GroupVersion = { readonly group: string; readonly version: string };
const define = <T extends KubeObject>(gv: GroupVersion, resource: string, kind: string, namespaced: boolean): ResourceRef<T> => ({
  group: gv.group,
  version: gv.version,
  resource,
  kind,
  namespaced,
});
const inNamespaces = <T extends KubeObject>(gv: GroupVersion, resource: string, kind: string) => define<T>(gv, resource, kind, true);
const inCluster = <T extends KubeObject>(gv: GroupVersion, resource: string, kind: string) => define<T>(gv, resource, kind, false);

const inCoreV1 = { group: "", version: "v1" };
const inApiregistrationV1 = { group: "apiregistration.k8s.io", version: "v1" };
const inAppsV1 = { group: "apps", version: "v1" };
const inEventsV1 = { group: "events.k8s.io", version: "v1" };
const inAuthenticationV1 = { group: "authentication.k8s.io", version: "v1" };
const inAuthorizationV1 = { group: "authorization.k8s.io", version: "v1" };
const inAutoscalingV2 = { group: "autoscaling", version: "v2" };
const inAutoscalingV1 = { group: "autoscaling", version: "v1" };
const inBatchV1 = { group: "batch", version: "v1" };
const inCertificatesV1 = { group: "certificates.k8s.io", version: "v1" };
const inNetworkingV1 = { group: "networking.k8s.io", version: "v1" };
const inPolicyV1 = { group: "policy", version: "v1" };
const inRbacV1 = { group: "rbac.authorization.k8s.io", version: "v1" };
const inStorageV1 = { group: "storage.k8s.io", version: "v1" };
const inAdmissionregistrationV1 = { group: "admissionregistration.k8s.io", version: "v1" };
const inApiextensionsV1 = { group: "apiextensions.k8s.io", version: "v1" };
const inSchedulingV1 = { group: "scheduling.k8s.io", version: "v1" };
const inCoordinationV1 = { group: "coordination.k8s.io", version: "v1" };
const inNodeV1 = { group: "node.k8s.io", version: "v1" };
const inDiscoveryV1 = { group: "discovery.k8s.io", version: "v1" };
const inResourceV1 = { group: "resource.k8s.io", version: "v1" };
const inFlowcontrolV1 = { group: "flowcontrol.apiserver.k8s.io", version: "v1" };

export const bindings = inNamespaces<api.coreV1.Binding>(inCoreV1, "bindings", "Binding");
export const componentStatuses = inCluster<api.coreV1.ComponentStatus>(inCoreV1, "componentstatuses", "ComponentStatus");
export const configMaps = inNamespaces<api.coreV1.ConfigMap>(inCoreV1, "configmaps", "ConfigMap");
export const endpoints = inNamespaces<api.coreV1.Endpoints>(inCoreV1, "endpoints", "Endpoints");
export const events = inNamespaces<api.coreV1.Event>(inCoreV1, "events", "Event");
export const limitRanges = inNamespaces<api.coreV1.LimitRange>(inCoreV1, "limitranges", "LimitRange");
export const namespaces = inCluster<api.coreV1.Namespace>(inCoreV1, "namespaces", "Namespace");
export const nodes = inCluster<api.coreV1.Node>(inCoreV1, "nodes", "Node");
export const persistentVolumeClaims = inNamespaces<api.coreV1.PersistentVolumeClaim>(
  inCoreV1,
  "persistentvolumeclaims",
  "PersistentVolumeClaim",
);
export const persistentVolumes = inCluster<api.coreV1.PersistentVolume>(inCoreV1, "persistentvolumes", "PersistentVolume");
export const pods = inNamespaces<api.coreV1.Pod>(inCoreV1, "pods", "Pod");
export const podTemplates = inNamespaces<api.coreV1.PodTemplate>(inCoreV1, "podtemplates", "PodTemplate");
export const replicationControllers = inNamespaces<api.coreV1.ReplicationController>(
  inCoreV1,
  "replicationcontrollers",
  "ReplicationController",
);
export const resourceQuotas = inNamespaces<api.coreV1.ResourceQuota>(inCoreV1, "resourcequotas", "ResourceQuota");
export const secrets = inNamespaces<api.coreV1.Secret>(inCoreV1, "secrets", "Secret");
export const serviceAccounts = inNamespaces<api.coreV1.ServiceAccount>(inCoreV1, "serviceaccounts", "ServiceAccount");
export const services = inNamespaces<api.coreV1.Service>(inCoreV1, "services", "Service");
export const apiServices = inCluster<api.apiregistrationV1.APIService>(inApiregistrationV1, "apiservices", "APIService");
export const controllerRevisions = inNamespaces<api.appsV1.ControllerRevision>(inAppsV1, "controllerrevisions", "ControllerRevision");
export const daemonSets = inNamespaces<api.appsV1.DaemonSet>(inAppsV1, "daemonsets", "DaemonSet");
export const deployments = inNamespaces<api.appsV1.Deployment>(inAppsV1, "deployments", "Deployment");
export const replicaSets = inNamespaces<api.appsV1.ReplicaSet>(inAppsV1, "replicasets", "ReplicaSet");
export const statefulSets = inNamespaces<api.appsV1.StatefulSet>(inAppsV1, "statefulsets", "StatefulSet");
export const eventsV1 = inNamespaces<api.eventsV1.Event>(inEventsV1, "events", "Event");
export const selfSubjectReviews = inCluster<api.authenticationV1.SelfSubjectReview>(
  inAuthenticationV1,
  "selfsubjectreviews",
  "SelfSubjectReview",
);
export const tokenReviews = inCluster<api.authenticationV1.TokenReview>(inAuthenticationV1, "tokenreviews", "TokenReview");
export const localSubjectAccessReviews = inNamespaces<api.authorizationV1.LocalSubjectAccessReview>(
  inAuthorizationV1,
  "localsubjectaccessreviews",
  "LocalSubjectAccessReview",
);
export const selfSubjectAccessReviews = inCluster<api.authorizationV1.SelfSubjectAccessReview>(
  inAuthorizationV1,
  "selfsubjectaccessreviews",
  "SelfSubjectAccessReview",
);
export const selfSubjectRulesReviews = inCluster<api.authorizationV1.SelfSubjectRulesReview>(
  inAuthorizationV1,
  "selfsubjectrulesreviews",
  "SelfSubjectRulesReview",
);
export const subjectAccessReviews = inCluster<api.authorizationV1.SubjectAccessReview>(
  inAuthorizationV1,
  "subjectaccessreviews",
  "SubjectAccessReview",
);
export const horizontalPodAutoscalers = inNamespaces<api.autoscalingV2.HorizontalPodAutoscaler>(
  inAutoscalingV2,
  "horizontalpodautoscalers",
  "HorizontalPodAutoscaler",
);
export const horizontalPodAutoscalersV1 = inNamespaces<api.autoscalingV1.HorizontalPodAutoscaler>(
  inAutoscalingV1,
  "horizontalpodautoscalers",
  "HorizontalPodAutoscaler",
);
export const cronJobs = inNamespaces<api.batchV1.CronJob>(inBatchV1, "cronjobs", "CronJob");
export const jobs = inNamespaces<api.batchV1.Job>(inBatchV1, "jobs", "Job");
export const certificateSigningRequests = inCluster<api.certificatesV1.CertificateSigningRequest>(
  inCertificatesV1,
  "certificatesigningrequests",
  "CertificateSigningRequest",
);
export const ingressClasses = inCluster<api.networkingV1.IngressClass>(inNetworkingV1, "ingressclasses", "IngressClass");
export const ingresses = inNamespaces<api.networkingV1.Ingress>(inNetworkingV1, "ingresses", "Ingress");
export const ipAddresses = inCluster<api.networkingV1.IPAddress>(inNetworkingV1, "ipaddresses", "IPAddress");
export const networkPolicies = inNamespaces<api.networkingV1.NetworkPolicy>(inNetworkingV1, "networkpolicies", "NetworkPolicy");
export const serviceCIDRs = inCluster<api.networkingV1.ServiceCIDR>(inNetworkingV1, "servicecidrs", "ServiceCIDR");
export const podDisruptionBudgets = inNamespaces<api.policyV1.PodDisruptionBudget>(
  inPolicyV1,
  "poddisruptionbudgets",
  "PodDisruptionBudget",
);
export const clusterRoleBindings = inCluster<api.rbacV1.ClusterRoleBinding>(inRbacV1, "clusterrolebindings", "ClusterRoleBinding");
export const clusterRoles = inCluster<api.rbacV1.ClusterRole>(inRbacV1, "clusterroles", "ClusterRole");
export const roleBindings = inNamespaces<api.rbacV1.RoleBinding>(inRbacV1, "rolebindings", "RoleBinding");
export const roles = inNamespaces<api.rbacV1.Role>(inRbacV1, "roles", "Role");
export const csiDrivers = inCluster<api.storageV1.CSIDriver>(inStorageV1, "csidrivers", "CSIDriver");
export const csiNodes = inCluster<api.storageV1.CSINode>(inStorageV1, "csinodes", "CSINode");
export const csiStorageCapacities = inNamespaces<api.storageV1.CSIStorageCapacity>(
  inStorageV1,
  "csistoragecapacities",
  "CSIStorageCapacity",
);
export const storageClasses = inCluster<api.storageV1.StorageClass>(inStorageV1, "storageclasses", "StorageClass");
export const volumeAttachments = inCluster<api.storageV1.VolumeAttachment>(inStorageV1, "volumeattachments", "VolumeAttachment");
export const volumeAttributesClasses = inCluster<api.storageV1.VolumeAttributesClass>(
  inStorageV1,
  "volumeattributesclasses",
  "VolumeAttributesClass",
);
export const mutatingAdmissionPolicies = inCluster<api.admissionregistrationV1.MutatingAdmissionPolicy>(
  inAdmissionregistrationV1,
  "mutatingadmissionpolicies",
  "MutatingAdmissionPolicy",
);
export const mutatingAdmissionPolicyBindings = inCluster<api.admissionregistrationV1.MutatingAdmissionPolicyBinding>(
  inAdmissionregistrationV1,
  "mutatingadmissionpolicybindings",
  "MutatingAdmissionPolicyBinding",
);
export const mutatingWebhookConfigurations = inCluster<api.admissionregistrationV1.MutatingWebhookConfiguration>(
  inAdmissionregistrationV1,
  "mutatingwebhookconfigurations",
  "MutatingWebhookConfiguration",
);
export const validatingAdmissionPolicies = inCluster<api.admissionregistrationV1.ValidatingAdmissionPolicy>(
  inAdmissionregistrationV1,
  "validatingadmissionpolicies",
  "ValidatingAdmissionPolicy",
);
export const validatingAdmissionPolicyBindings = inCluster<api.admissionregistrationV1.ValidatingAdmissionPolicyBinding>(
  inAdmissionregistrationV1,
  "validatingadmissionpolicybindings",
  "ValidatingAdmissionPolicyBinding",
);
export const validatingWebhookConfigurations = inCluster<api.admissionregistrationV1.ValidatingWebhookConfiguration>(
  inAdmissionregistrationV1,
  "validatingwebhookconfigurations",
  "ValidatingWebhookConfiguration",
);
export const customResourceDefinitions = inCluster<api.apiextensionsV1.CustomResourceDefinition>(
  inApiextensionsV1,
  "customresourcedefinitions",
  "CustomResourceDefinition",
);
export const priorityClasses = inCluster<api.schedulingV1.PriorityClass>(inSchedulingV1, "priorityclasses", "PriorityClass");
export const leases = inNamespaces<api.coordinationV1.Lease>(inCoordinationV1, "leases", "Lease");
export const runtimeClasses = inCluster<api.nodeV1.RuntimeClass>(inNodeV1, "runtimeclasses", "RuntimeClass");
export const endpointSlices = inNamespaces<api.discoveryV1.EndpointSlice>(inDiscoveryV1, "endpointslices", "EndpointSlice");
export const deviceClasses = inCluster<api.resourceV1.DeviceClass>(inResourceV1, "deviceclasses", "DeviceClass");
export const resourceClaims = inNamespaces<api.resourceV1.ResourceClaim>(inResourceV1, "resourceclaims", "ResourceClaim");
export const resourceClaimTemplates = inNamespaces<api.resourceV1.ResourceClaimTemplate>(
  inResourceV1,
  "resourceclaimtemplates",
  "ResourceClaimTemplate",
);
export const resourceSlices = inCluster<api.resourceV1.ResourceSlice>(inResourceV1, "resourceslices", "ResourceSlice");
export const flowSchemas = inCluster<api.flowcontrolV1.FlowSchema>(inFlowcontrolV1, "flowschemas", "FlowSchema");
export const priorityLevelConfigurations = inCluster<api.flowcontrolV1.PriorityLevelConfiguration>(
  inFlowcontrolV1,
  "prioritylevelconfigurations",
  "PriorityLevelConfiguration",
);
