/** Every resource that Kubernetes itself has, for `client.resource(pods)`. Written by scripts/generate-client-resources.ts. */
import type * as api from "@coxswain/api";
import type { ResourceRef } from "../rest/resource-ref.ts";

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

export const bindings: ResourceRef<api.coreV1.Binding> = { ...inCoreV1, resource: "bindings", kind: "Binding", namespaced: true };
export const componentStatuses: ResourceRef<api.coreV1.ComponentStatus> = {
  ...inCoreV1,
  resource: "componentstatuses",
  kind: "ComponentStatus",
  namespaced: false,
};
export const configMaps: ResourceRef<api.coreV1.ConfigMap> = { ...inCoreV1, resource: "configmaps", kind: "ConfigMap", namespaced: true };
export const endpoints: ResourceRef<api.coreV1.Endpoints> = { ...inCoreV1, resource: "endpoints", kind: "Endpoints", namespaced: true };
export const events: ResourceRef<api.coreV1.Event> = { ...inCoreV1, resource: "events", kind: "Event", namespaced: true };
export const limitRanges: ResourceRef<api.coreV1.LimitRange> = {
  ...inCoreV1,
  resource: "limitranges",
  kind: "LimitRange",
  namespaced: true,
};
export const namespaces: ResourceRef<api.coreV1.Namespace> = { ...inCoreV1, resource: "namespaces", kind: "Namespace", namespaced: false };
export const nodes: ResourceRef<api.coreV1.Node> = { ...inCoreV1, resource: "nodes", kind: "Node", namespaced: false };
export const persistentVolumeClaims: ResourceRef<api.coreV1.PersistentVolumeClaim> = {
  ...inCoreV1,
  resource: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true,
};
export const persistentVolumes: ResourceRef<api.coreV1.PersistentVolume> = {
  ...inCoreV1,
  resource: "persistentvolumes",
  kind: "PersistentVolume",
  namespaced: false,
};
export const pods: ResourceRef<api.coreV1.Pod> = { ...inCoreV1, resource: "pods", kind: "Pod", namespaced: true };
export const podTemplates: ResourceRef<api.coreV1.PodTemplate> = {
  ...inCoreV1,
  resource: "podtemplates",
  kind: "PodTemplate",
  namespaced: true,
};
export const replicationControllers: ResourceRef<api.coreV1.ReplicationController> = {
  ...inCoreV1,
  resource: "replicationcontrollers",
  kind: "ReplicationController",
  namespaced: true,
};
export const resourceQuotas: ResourceRef<api.coreV1.ResourceQuota> = {
  ...inCoreV1,
  resource: "resourcequotas",
  kind: "ResourceQuota",
  namespaced: true,
};
export const secrets: ResourceRef<api.coreV1.Secret> = { ...inCoreV1, resource: "secrets", kind: "Secret", namespaced: true };
export const serviceAccounts: ResourceRef<api.coreV1.ServiceAccount> = {
  ...inCoreV1,
  resource: "serviceaccounts",
  kind: "ServiceAccount",
  namespaced: true,
};
export const services: ResourceRef<api.coreV1.Service> = { ...inCoreV1, resource: "services", kind: "Service", namespaced: true };
export const apiServices: ResourceRef<api.apiregistrationV1.APIService> = {
  ...inApiregistrationV1,
  resource: "apiservices",
  kind: "APIService",
  namespaced: false,
};
export const controllerRevisions: ResourceRef<api.appsV1.ControllerRevision> = {
  ...inAppsV1,
  resource: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
};
export const daemonSets: ResourceRef<api.appsV1.DaemonSet> = { ...inAppsV1, resource: "daemonsets", kind: "DaemonSet", namespaced: true };
export const deployments: ResourceRef<api.appsV1.Deployment> = {
  ...inAppsV1,
  resource: "deployments",
  kind: "Deployment",
  namespaced: true,
};
export const replicaSets: ResourceRef<api.appsV1.ReplicaSet> = {
  ...inAppsV1,
  resource: "replicasets",
  kind: "ReplicaSet",
  namespaced: true,
};
export const statefulSets: ResourceRef<api.appsV1.StatefulSet> = {
  ...inAppsV1,
  resource: "statefulsets",
  kind: "StatefulSet",
  namespaced: true,
};
export const eventsV1: ResourceRef<api.eventsV1.Event> = { ...inEventsV1, resource: "events", kind: "Event", namespaced: true };
export const selfSubjectReviews: ResourceRef<api.authenticationV1.SelfSubjectReview> = {
  ...inAuthenticationV1,
  resource: "selfsubjectreviews",
  kind: "SelfSubjectReview",
  namespaced: false,
};
export const tokenReviews: ResourceRef<api.authenticationV1.TokenReview> = {
  ...inAuthenticationV1,
  resource: "tokenreviews",
  kind: "TokenReview",
  namespaced: false,
};
export const localSubjectAccessReviews: ResourceRef<api.authorizationV1.LocalSubjectAccessReview> = {
  ...inAuthorizationV1,
  resource: "localsubjectaccessreviews",
  kind: "LocalSubjectAccessReview",
  namespaced: true,
};
export const selfSubjectAccessReviews: ResourceRef<api.authorizationV1.SelfSubjectAccessReview> = {
  ...inAuthorizationV1,
  resource: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
};
export const selfSubjectRulesReviews: ResourceRef<api.authorizationV1.SelfSubjectRulesReview> = {
  ...inAuthorizationV1,
  resource: "selfsubjectrulesreviews",
  kind: "SelfSubjectRulesReview",
  namespaced: false,
};
export const subjectAccessReviews: ResourceRef<api.authorizationV1.SubjectAccessReview> = {
  ...inAuthorizationV1,
  resource: "subjectaccessreviews",
  kind: "SubjectAccessReview",
  namespaced: false,
};
export const horizontalPodAutoscalers: ResourceRef<api.autoscalingV2.HorizontalPodAutoscaler> = {
  ...inAutoscalingV2,
  resource: "horizontalpodautoscalers",
  kind: "HorizontalPodAutoscaler",
  namespaced: true,
};
export const horizontalPodAutoscalersV1: ResourceRef<api.autoscalingV1.HorizontalPodAutoscaler> = {
  ...inAutoscalingV1,
  resource: "horizontalpodautoscalers",
  kind: "HorizontalPodAutoscaler",
  namespaced: true,
};
export const cronJobs: ResourceRef<api.batchV1.CronJob> = { ...inBatchV1, resource: "cronjobs", kind: "CronJob", namespaced: true };
export const jobs: ResourceRef<api.batchV1.Job> = { ...inBatchV1, resource: "jobs", kind: "Job", namespaced: true };
export const certificateSigningRequests: ResourceRef<api.certificatesV1.CertificateSigningRequest> = {
  ...inCertificatesV1,
  resource: "certificatesigningrequests",
  kind: "CertificateSigningRequest",
  namespaced: false,
};
export const ingressClasses: ResourceRef<api.networkingV1.IngressClass> = {
  ...inNetworkingV1,
  resource: "ingressclasses",
  kind: "IngressClass",
  namespaced: false,
};
export const ingresses: ResourceRef<api.networkingV1.Ingress> = {
  ...inNetworkingV1,
  resource: "ingresses",
  kind: "Ingress",
  namespaced: true,
};
export const ipAddresses: ResourceRef<api.networkingV1.IPAddress> = {
  ...inNetworkingV1,
  resource: "ipaddresses",
  kind: "IPAddress",
  namespaced: false,
};
export const networkPolicies: ResourceRef<api.networkingV1.NetworkPolicy> = {
  ...inNetworkingV1,
  resource: "networkpolicies",
  kind: "NetworkPolicy",
  namespaced: true,
};
export const serviceCIDRs: ResourceRef<api.networkingV1.ServiceCIDR> = {
  ...inNetworkingV1,
  resource: "servicecidrs",
  kind: "ServiceCIDR",
  namespaced: false,
};
export const podDisruptionBudgets: ResourceRef<api.policyV1.PodDisruptionBudget> = {
  ...inPolicyV1,
  resource: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
};
export const clusterRoleBindings: ResourceRef<api.rbacV1.ClusterRoleBinding> = {
  ...inRbacV1,
  resource: "clusterrolebindings",
  kind: "ClusterRoleBinding",
  namespaced: false,
};
export const clusterRoles: ResourceRef<api.rbacV1.ClusterRole> = {
  ...inRbacV1,
  resource: "clusterroles",
  kind: "ClusterRole",
  namespaced: false,
};
export const roleBindings: ResourceRef<api.rbacV1.RoleBinding> = {
  ...inRbacV1,
  resource: "rolebindings",
  kind: "RoleBinding",
  namespaced: true,
};
export const roles: ResourceRef<api.rbacV1.Role> = { ...inRbacV1, resource: "roles", kind: "Role", namespaced: true };
export const csiDrivers: ResourceRef<api.storageV1.CSIDriver> = {
  ...inStorageV1,
  resource: "csidrivers",
  kind: "CSIDriver",
  namespaced: false,
};
export const csiNodes: ResourceRef<api.storageV1.CSINode> = { ...inStorageV1, resource: "csinodes", kind: "CSINode", namespaced: false };
export const csiStorageCapacities: ResourceRef<api.storageV1.CSIStorageCapacity> = {
  ...inStorageV1,
  resource: "csistoragecapacities",
  kind: "CSIStorageCapacity",
  namespaced: true,
};
export const storageClasses: ResourceRef<api.storageV1.StorageClass> = {
  ...inStorageV1,
  resource: "storageclasses",
  kind: "StorageClass",
  namespaced: false,
};
export const volumeAttachments: ResourceRef<api.storageV1.VolumeAttachment> = {
  ...inStorageV1,
  resource: "volumeattachments",
  kind: "VolumeAttachment",
  namespaced: false,
};
export const volumeAttributesClasses: ResourceRef<api.storageV1.VolumeAttributesClass> = {
  ...inStorageV1,
  resource: "volumeattributesclasses",
  kind: "VolumeAttributesClass",
  namespaced: false,
};
export const mutatingAdmissionPolicies: ResourceRef<api.admissionregistrationV1.MutatingAdmissionPolicy> = {
  ...inAdmissionregistrationV1,
  resource: "mutatingadmissionpolicies",
  kind: "MutatingAdmissionPolicy",
  namespaced: false,
};
export const mutatingAdmissionPolicyBindings: ResourceRef<api.admissionregistrationV1.MutatingAdmissionPolicyBinding> = {
  ...inAdmissionregistrationV1,
  resource: "mutatingadmissionpolicybindings",
  kind: "MutatingAdmissionPolicyBinding",
  namespaced: false,
};
export const mutatingWebhookConfigurations: ResourceRef<api.admissionregistrationV1.MutatingWebhookConfiguration> = {
  ...inAdmissionregistrationV1,
  resource: "mutatingwebhookconfigurations",
  kind: "MutatingWebhookConfiguration",
  namespaced: false,
};
export const validatingAdmissionPolicies: ResourceRef<api.admissionregistrationV1.ValidatingAdmissionPolicy> = {
  ...inAdmissionregistrationV1,
  resource: "validatingadmissionpolicies",
  kind: "ValidatingAdmissionPolicy",
  namespaced: false,
};
export const validatingAdmissionPolicyBindings: ResourceRef<api.admissionregistrationV1.ValidatingAdmissionPolicyBinding> = {
  ...inAdmissionregistrationV1,
  resource: "validatingadmissionpolicybindings",
  kind: "ValidatingAdmissionPolicyBinding",
  namespaced: false,
};
export const validatingWebhookConfigurations: ResourceRef<api.admissionregistrationV1.ValidatingWebhookConfiguration> = {
  ...inAdmissionregistrationV1,
  resource: "validatingwebhookconfigurations",
  kind: "ValidatingWebhookConfiguration",
  namespaced: false,
};
export const customResourceDefinitions: ResourceRef<api.apiextensionsV1.CustomResourceDefinition> = {
  ...inApiextensionsV1,
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};
export const priorityClasses: ResourceRef<api.schedulingV1.PriorityClass> = {
  ...inSchedulingV1,
  resource: "priorityclasses",
  kind: "PriorityClass",
  namespaced: false,
};
export const leases: ResourceRef<api.coordinationV1.Lease> = { ...inCoordinationV1, resource: "leases", kind: "Lease", namespaced: true };
export const runtimeClasses: ResourceRef<api.nodeV1.RuntimeClass> = {
  ...inNodeV1,
  resource: "runtimeclasses",
  kind: "RuntimeClass",
  namespaced: false,
};
export const endpointSlices: ResourceRef<api.discoveryV1.EndpointSlice> = {
  ...inDiscoveryV1,
  resource: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
};
export const deviceClasses: ResourceRef<api.resourceV1.DeviceClass> = {
  ...inResourceV1,
  resource: "deviceclasses",
  kind: "DeviceClass",
  namespaced: false,
};
export const resourceClaims: ResourceRef<api.resourceV1.ResourceClaim> = {
  ...inResourceV1,
  resource: "resourceclaims",
  kind: "ResourceClaim",
  namespaced: true,
};
export const resourceClaimTemplates: ResourceRef<api.resourceV1.ResourceClaimTemplate> = {
  ...inResourceV1,
  resource: "resourceclaimtemplates",
  kind: "ResourceClaimTemplate",
  namespaced: true,
};
export const resourceSlices: ResourceRef<api.resourceV1.ResourceSlice> = {
  ...inResourceV1,
  resource: "resourceslices",
  kind: "ResourceSlice",
  namespaced: false,
};
export const flowSchemas: ResourceRef<api.flowcontrolV1.FlowSchema> = {
  ...inFlowcontrolV1,
  resource: "flowschemas",
  kind: "FlowSchema",
  namespaced: false,
};
export const priorityLevelConfigurations: ResourceRef<api.flowcontrolV1.PriorityLevelConfiguration> = {
  ...inFlowcontrolV1,
  resource: "prioritylevelconfigurations",
  kind: "PriorityLevelConfiguration",
  namespaced: false,
};
