/** Every resource that Kubernetes itself has, for `client.resource(pods)`. Written by scripts/generate-client-resources.ts. */
import type { KubeObject } from "@coxswain/machinery";
import type * as api from "@coxswain/types";
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

/** Resource `bindings` of v1, in namespaces: objects of kind Binding. */
export const bindings = inNamespaces<api.coreV1.Binding>(inCoreV1, "bindings", "Binding");
/** Resource `componentstatuses` of v1, of the cluster: objects of kind ComponentStatus. */
export const componentStatuses = inCluster<api.coreV1.ComponentStatus>(inCoreV1, "componentstatuses", "ComponentStatus");
/** Resource `configmaps` of v1, in namespaces: objects of kind ConfigMap. */
export const configMaps = inNamespaces<api.coreV1.ConfigMap>(inCoreV1, "configmaps", "ConfigMap");
/** Resource `endpoints` of v1, in namespaces: objects of kind Endpoints. */
export const endpoints = inNamespaces<api.coreV1.Endpoints>(inCoreV1, "endpoints", "Endpoints");
/** Resource `events` of v1, in namespaces: objects of kind Event. */
export const events = inNamespaces<api.coreV1.Event>(inCoreV1, "events", "Event");
/** Resource `limitranges` of v1, in namespaces: objects of kind LimitRange. */
export const limitRanges = inNamespaces<api.coreV1.LimitRange>(inCoreV1, "limitranges", "LimitRange");
/** Resource `namespaces` of v1, of the cluster: objects of kind Namespace. */
export const namespaces = inCluster<api.coreV1.Namespace>(inCoreV1, "namespaces", "Namespace");
/** Resource `nodes` of v1, of the cluster: objects of kind Node. */
export const nodes = inCluster<api.coreV1.Node>(inCoreV1, "nodes", "Node");
/** Resource `persistentvolumeclaims` of v1, in namespaces: objects of kind PersistentVolumeClaim. */
export const persistentVolumeClaims = inNamespaces<api.coreV1.PersistentVolumeClaim>(
  inCoreV1,
  "persistentvolumeclaims",
  "PersistentVolumeClaim",
);
/** Resource `persistentvolumes` of v1, of the cluster: objects of kind PersistentVolume. */
export const persistentVolumes = inCluster<api.coreV1.PersistentVolume>(inCoreV1, "persistentvolumes", "PersistentVolume");
/** Resource `pods` of v1, in namespaces: objects of kind Pod. */
export const pods = inNamespaces<api.coreV1.Pod>(inCoreV1, "pods", "Pod");
/** Resource `podtemplates` of v1, in namespaces: objects of kind PodTemplate. */
export const podTemplates = inNamespaces<api.coreV1.PodTemplate>(inCoreV1, "podtemplates", "PodTemplate");
/** Resource `replicationcontrollers` of v1, in namespaces: objects of kind ReplicationController. */
export const replicationControllers = inNamespaces<api.coreV1.ReplicationController>(
  inCoreV1,
  "replicationcontrollers",
  "ReplicationController",
);
/** Resource `resourcequotas` of v1, in namespaces: objects of kind ResourceQuota. */
export const resourceQuotas = inNamespaces<api.coreV1.ResourceQuota>(inCoreV1, "resourcequotas", "ResourceQuota");
/** Resource `secrets` of v1, in namespaces: objects of kind Secret. */
export const secrets = inNamespaces<api.coreV1.Secret>(inCoreV1, "secrets", "Secret");
/** Resource `serviceaccounts` of v1, in namespaces: objects of kind ServiceAccount. */
export const serviceAccounts = inNamespaces<api.coreV1.ServiceAccount>(inCoreV1, "serviceaccounts", "ServiceAccount");
/** Resource `services` of v1, in namespaces: objects of kind Service. */
export const services = inNamespaces<api.coreV1.Service>(inCoreV1, "services", "Service");
/** Resource `apiservices` of apiregistration.k8s.io/v1, of the cluster: objects of kind APIService. */
export const apiServices = inCluster<api.apiregistrationV1.APIService>(inApiregistrationV1, "apiservices", "APIService");
/** Resource `controllerrevisions` of apps/v1, in namespaces: objects of kind ControllerRevision. */
export const controllerRevisions = inNamespaces<api.appsV1.ControllerRevision>(inAppsV1, "controllerrevisions", "ControllerRevision");
/** Resource `daemonsets` of apps/v1, in namespaces: objects of kind DaemonSet. */
export const daemonSets = inNamespaces<api.appsV1.DaemonSet>(inAppsV1, "daemonsets", "DaemonSet");
/** Resource `deployments` of apps/v1, in namespaces: objects of kind Deployment. */
export const deployments = inNamespaces<api.appsV1.Deployment>(inAppsV1, "deployments", "Deployment");
/** Resource `replicasets` of apps/v1, in namespaces: objects of kind ReplicaSet. */
export const replicaSets = inNamespaces<api.appsV1.ReplicaSet>(inAppsV1, "replicasets", "ReplicaSet");
/** Resource `statefulsets` of apps/v1, in namespaces: objects of kind StatefulSet. */
export const statefulSets = inNamespaces<api.appsV1.StatefulSet>(inAppsV1, "statefulsets", "StatefulSet");
/** Resource `events` of events.k8s.io/v1, in namespaces: objects of kind Event. */
export const eventsV1 = inNamespaces<api.eventsV1.Event>(inEventsV1, "events", "Event");
/** Resource `selfsubjectreviews` of authentication.k8s.io/v1, of the cluster: objects of kind SelfSubjectReview. */
export const selfSubjectReviews = inCluster<api.authenticationV1.SelfSubjectReview>(
  inAuthenticationV1,
  "selfsubjectreviews",
  "SelfSubjectReview",
);
/** Resource `tokenreviews` of authentication.k8s.io/v1, of the cluster: objects of kind TokenReview. */
export const tokenReviews = inCluster<api.authenticationV1.TokenReview>(inAuthenticationV1, "tokenreviews", "TokenReview");
/** Resource `localsubjectaccessreviews` of authorization.k8s.io/v1, in namespaces: objects of kind LocalSubjectAccessReview. */
export const localSubjectAccessReviews = inNamespaces<api.authorizationV1.LocalSubjectAccessReview>(
  inAuthorizationV1,
  "localsubjectaccessreviews",
  "LocalSubjectAccessReview",
);
/** Resource `selfsubjectaccessreviews` of authorization.k8s.io/v1, of the cluster: objects of kind SelfSubjectAccessReview. */
export const selfSubjectAccessReviews = inCluster<api.authorizationV1.SelfSubjectAccessReview>(
  inAuthorizationV1,
  "selfsubjectaccessreviews",
  "SelfSubjectAccessReview",
);
/** Resource `selfsubjectrulesreviews` of authorization.k8s.io/v1, of the cluster: objects of kind SelfSubjectRulesReview. */
export const selfSubjectRulesReviews = inCluster<api.authorizationV1.SelfSubjectRulesReview>(
  inAuthorizationV1,
  "selfsubjectrulesreviews",
  "SelfSubjectRulesReview",
);
/** Resource `subjectaccessreviews` of authorization.k8s.io/v1, of the cluster: objects of kind SubjectAccessReview. */
export const subjectAccessReviews = inCluster<api.authorizationV1.SubjectAccessReview>(
  inAuthorizationV1,
  "subjectaccessreviews",
  "SubjectAccessReview",
);
/** Resource `horizontalpodautoscalers` of autoscaling/v2, in namespaces: objects of kind HorizontalPodAutoscaler. */
export const horizontalPodAutoscalers = inNamespaces<api.autoscalingV2.HorizontalPodAutoscaler>(
  inAutoscalingV2,
  "horizontalpodautoscalers",
  "HorizontalPodAutoscaler",
);
/** Resource `horizontalpodautoscalers` of autoscaling/v1, in namespaces: objects of kind HorizontalPodAutoscaler. */
export const horizontalPodAutoscalersV1 = inNamespaces<api.autoscalingV1.HorizontalPodAutoscaler>(
  inAutoscalingV1,
  "horizontalpodautoscalers",
  "HorizontalPodAutoscaler",
);
/** Resource `cronjobs` of batch/v1, in namespaces: objects of kind CronJob. */
export const cronJobs = inNamespaces<api.batchV1.CronJob>(inBatchV1, "cronjobs", "CronJob");
/** Resource `jobs` of batch/v1, in namespaces: objects of kind Job. */
export const jobs = inNamespaces<api.batchV1.Job>(inBatchV1, "jobs", "Job");
/** Resource `certificatesigningrequests` of certificates.k8s.io/v1, of the cluster: objects of kind CertificateSigningRequest. */
export const certificateSigningRequests = inCluster<api.certificatesV1.CertificateSigningRequest>(
  inCertificatesV1,
  "certificatesigningrequests",
  "CertificateSigningRequest",
);
/** Resource `ingressclasses` of networking.k8s.io/v1, of the cluster: objects of kind IngressClass. */
export const ingressClasses = inCluster<api.networkingV1.IngressClass>(inNetworkingV1, "ingressclasses", "IngressClass");
/** Resource `ingresses` of networking.k8s.io/v1, in namespaces: objects of kind Ingress. */
export const ingresses = inNamespaces<api.networkingV1.Ingress>(inNetworkingV1, "ingresses", "Ingress");
/** Resource `ipaddresses` of networking.k8s.io/v1, of the cluster: objects of kind IPAddress. */
export const ipAddresses = inCluster<api.networkingV1.IPAddress>(inNetworkingV1, "ipaddresses", "IPAddress");
/** Resource `networkpolicies` of networking.k8s.io/v1, in namespaces: objects of kind NetworkPolicy. */
export const networkPolicies = inNamespaces<api.networkingV1.NetworkPolicy>(inNetworkingV1, "networkpolicies", "NetworkPolicy");
/** Resource `servicecidrs` of networking.k8s.io/v1, of the cluster: objects of kind ServiceCIDR. */
export const serviceCIDRs = inCluster<api.networkingV1.ServiceCIDR>(inNetworkingV1, "servicecidrs", "ServiceCIDR");
/** Resource `poddisruptionbudgets` of policy/v1, in namespaces: objects of kind PodDisruptionBudget. */
export const podDisruptionBudgets = inNamespaces<api.policyV1.PodDisruptionBudget>(
  inPolicyV1,
  "poddisruptionbudgets",
  "PodDisruptionBudget",
);
/** Resource `clusterrolebindings` of rbac.authorization.k8s.io/v1, of the cluster: objects of kind ClusterRoleBinding. */
export const clusterRoleBindings = inCluster<api.rbacV1.ClusterRoleBinding>(inRbacV1, "clusterrolebindings", "ClusterRoleBinding");
/** Resource `clusterroles` of rbac.authorization.k8s.io/v1, of the cluster: objects of kind ClusterRole. */
export const clusterRoles = inCluster<api.rbacV1.ClusterRole>(inRbacV1, "clusterroles", "ClusterRole");
/** Resource `rolebindings` of rbac.authorization.k8s.io/v1, in namespaces: objects of kind RoleBinding. */
export const roleBindings = inNamespaces<api.rbacV1.RoleBinding>(inRbacV1, "rolebindings", "RoleBinding");
/** Resource `roles` of rbac.authorization.k8s.io/v1, in namespaces: objects of kind Role. */
export const roles = inNamespaces<api.rbacV1.Role>(inRbacV1, "roles", "Role");
/** Resource `csidrivers` of storage.k8s.io/v1, of the cluster: objects of kind CSIDriver. */
export const csiDrivers = inCluster<api.storageV1.CSIDriver>(inStorageV1, "csidrivers", "CSIDriver");
/** Resource `csinodes` of storage.k8s.io/v1, of the cluster: objects of kind CSINode. */
export const csiNodes = inCluster<api.storageV1.CSINode>(inStorageV1, "csinodes", "CSINode");
/** Resource `csistoragecapacities` of storage.k8s.io/v1, in namespaces: objects of kind CSIStorageCapacity. */
export const csiStorageCapacities = inNamespaces<api.storageV1.CSIStorageCapacity>(
  inStorageV1,
  "csistoragecapacities",
  "CSIStorageCapacity",
);
/** Resource `storageclasses` of storage.k8s.io/v1, of the cluster: objects of kind StorageClass. */
export const storageClasses = inCluster<api.storageV1.StorageClass>(inStorageV1, "storageclasses", "StorageClass");
/** Resource `volumeattachments` of storage.k8s.io/v1, of the cluster: objects of kind VolumeAttachment. */
export const volumeAttachments = inCluster<api.storageV1.VolumeAttachment>(inStorageV1, "volumeattachments", "VolumeAttachment");
/** Resource `volumeattributesclasses` of storage.k8s.io/v1, of the cluster: objects of kind VolumeAttributesClass. */
export const volumeAttributesClasses = inCluster<api.storageV1.VolumeAttributesClass>(
  inStorageV1,
  "volumeattributesclasses",
  "VolumeAttributesClass",
);
/** Resource `mutatingadmissionpolicies` of admissionregistration.k8s.io/v1, of the cluster: objects of kind MutatingAdmissionPolicy. */
export const mutatingAdmissionPolicies = inCluster<api.admissionregistrationV1.MutatingAdmissionPolicy>(
  inAdmissionregistrationV1,
  "mutatingadmissionpolicies",
  "MutatingAdmissionPolicy",
);
/** Resource `mutatingadmissionpolicybindings` of admissionregistration.k8s.io/v1, of the cluster: objects of kind MutatingAdmissionPolicyBinding. */
export const mutatingAdmissionPolicyBindings = inCluster<api.admissionregistrationV1.MutatingAdmissionPolicyBinding>(
  inAdmissionregistrationV1,
  "mutatingadmissionpolicybindings",
  "MutatingAdmissionPolicyBinding",
);
/** Resource `mutatingwebhookconfigurations` of admissionregistration.k8s.io/v1, of the cluster: objects of kind MutatingWebhookConfiguration. */
export const mutatingWebhookConfigurations = inCluster<api.admissionregistrationV1.MutatingWebhookConfiguration>(
  inAdmissionregistrationV1,
  "mutatingwebhookconfigurations",
  "MutatingWebhookConfiguration",
);
/** Resource `validatingadmissionpolicies` of admissionregistration.k8s.io/v1, of the cluster: objects of kind ValidatingAdmissionPolicy. */
export const validatingAdmissionPolicies = inCluster<api.admissionregistrationV1.ValidatingAdmissionPolicy>(
  inAdmissionregistrationV1,
  "validatingadmissionpolicies",
  "ValidatingAdmissionPolicy",
);
/** Resource `validatingadmissionpolicybindings` of admissionregistration.k8s.io/v1, of the cluster: objects of kind ValidatingAdmissionPolicyBinding. */
export const validatingAdmissionPolicyBindings = inCluster<api.admissionregistrationV1.ValidatingAdmissionPolicyBinding>(
  inAdmissionregistrationV1,
  "validatingadmissionpolicybindings",
  "ValidatingAdmissionPolicyBinding",
);
/** Resource `validatingwebhookconfigurations` of admissionregistration.k8s.io/v1, of the cluster: objects of kind ValidatingWebhookConfiguration. */
export const validatingWebhookConfigurations = inCluster<api.admissionregistrationV1.ValidatingWebhookConfiguration>(
  inAdmissionregistrationV1,
  "validatingwebhookconfigurations",
  "ValidatingWebhookConfiguration",
);
/** Resource `customresourcedefinitions` of apiextensions.k8s.io/v1, of the cluster: objects of kind CustomResourceDefinition. */
export const customResourceDefinitions = inCluster<api.apiextensionsV1.CustomResourceDefinition>(
  inApiextensionsV1,
  "customresourcedefinitions",
  "CustomResourceDefinition",
);
/** Resource `priorityclasses` of scheduling.k8s.io/v1, of the cluster: objects of kind PriorityClass. */
export const priorityClasses = inCluster<api.schedulingV1.PriorityClass>(inSchedulingV1, "priorityclasses", "PriorityClass");
/** Resource `leases` of coordination.k8s.io/v1, in namespaces: objects of kind Lease. */
export const leases = inNamespaces<api.coordinationV1.Lease>(inCoordinationV1, "leases", "Lease");
/** Resource `runtimeclasses` of node.k8s.io/v1, of the cluster: objects of kind RuntimeClass. */
export const runtimeClasses = inCluster<api.nodeV1.RuntimeClass>(inNodeV1, "runtimeclasses", "RuntimeClass");
/** Resource `endpointslices` of discovery.k8s.io/v1, in namespaces: objects of kind EndpointSlice. */
export const endpointSlices = inNamespaces<api.discoveryV1.EndpointSlice>(inDiscoveryV1, "endpointslices", "EndpointSlice");
/** Resource `deviceclasses` of resource.k8s.io/v1, of the cluster: objects of kind DeviceClass. */
export const deviceClasses = inCluster<api.resourceV1.DeviceClass>(inResourceV1, "deviceclasses", "DeviceClass");
/** Resource `resourceclaims` of resource.k8s.io/v1, in namespaces: objects of kind ResourceClaim. */
export const resourceClaims = inNamespaces<api.resourceV1.ResourceClaim>(inResourceV1, "resourceclaims", "ResourceClaim");
/** Resource `resourceclaimtemplates` of resource.k8s.io/v1, in namespaces: objects of kind ResourceClaimTemplate. */
export const resourceClaimTemplates = inNamespaces<api.resourceV1.ResourceClaimTemplate>(
  inResourceV1,
  "resourceclaimtemplates",
  "ResourceClaimTemplate",
);
/** Resource `resourceslices` of resource.k8s.io/v1, of the cluster: objects of kind ResourceSlice. */
export const resourceSlices = inCluster<api.resourceV1.ResourceSlice>(inResourceV1, "resourceslices", "ResourceSlice");
/** Resource `flowschemas` of flowcontrol.apiserver.k8s.io/v1, of the cluster: objects of kind FlowSchema. */
export const flowSchemas = inCluster<api.flowcontrolV1.FlowSchema>(inFlowcontrolV1, "flowschemas", "FlowSchema");
/** Resource `prioritylevelconfigurations` of flowcontrol.apiserver.k8s.io/v1, of the cluster: objects of kind PriorityLevelConfiguration. */
export const priorityLevelConfigurations = inCluster<api.flowcontrolV1.PriorityLevelConfiguration>(
  inFlowcontrolV1,
  "prioritylevelconfigurations",
  "PriorityLevelConfiguration",
);
