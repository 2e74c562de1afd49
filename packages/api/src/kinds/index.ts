/** Every built-in kind's strategy. A kind that is not listed takes the defaults of Strategy. */
import type { Strategy } from "../strategy/strategy.ts";
import { mutatingAdmissionPolicy } from "./admissionregistration/mutating-admission-policy/strategy.ts";
import { mutatingAdmissionPolicyBinding } from "./admissionregistration/mutating-admission-policy-binding/strategy.ts";
import { mutatingWebhookConfiguration } from "./admissionregistration/mutating-webhook-configuration/strategy.ts";
import { validatingAdmissionPolicy } from "./admissionregistration/validating-admission-policy/strategy.ts";
import { validatingAdmissionPolicyBinding } from "./admissionregistration/validating-admission-policy-binding/strategy.ts";
import { validatingWebhookConfiguration } from "./admissionregistration/validating-webhook-configuration/strategy.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition/strategy.ts";
import { apiService } from "./apiregistration/api-service/strategy.ts";
import { controllerRevision } from "./apps/controller-revision/strategy.ts";
import { daemonSet } from "./apps/daemon-set/strategy.ts";
import { deployment } from "./apps/deployment/strategy.ts";
import { replicaSet } from "./apps/replica-set/strategy.ts";
import { statefulSet } from "./apps/stateful-set/strategy.ts";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler/strategy.ts";
import { horizontalPodAutoscalerV1 } from "./autoscaling/horizontal-pod-autoscaler/strategy-v1.ts";
import { cronJob } from "./batch/cron-job/strategy.ts";
import { job } from "./batch/job/strategy.ts";
import { certificateSigningRequest } from "./certificates/certificate-signing-request/strategy.ts";
import { lease } from "./coordination/lease/strategy.ts";
import { componentStatus } from "./core/component-status/strategy.ts";
import { configMap } from "./core/config-map/strategy.ts";
import { endpoints } from "./core/endpoints/strategy.ts";
import { event } from "./core/event/strategy.ts";
import { limitRange } from "./core/limit-range/strategy.ts";
import { namespace } from "./core/namespace/strategy.ts";
import { node } from "./core/node/strategy.ts";
import { persistentVolume } from "./core/persistent-volume/strategy.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim/strategy.ts";
import { pod } from "./core/pod/strategy.ts";
import { podTemplate } from "./core/pod-template/strategy.ts";
import { replicationController } from "./core/replication-controller/strategy.ts";
import { resourceQuota } from "./core/resource-quota/strategy.ts";
import { secret } from "./core/secret/strategy.ts";
import { service } from "./core/service/strategy.ts";
import { serviceAccount } from "./core/service-account/strategy.ts";
import { endpointSlice } from "./discovery/endpoint-slice/strategy.ts";
import { newEvent } from "./events/event/strategy.ts";
import { flowSchema } from "./flowcontrol/flow-schema/strategy.ts";
import { priorityLevelConfiguration } from "./flowcontrol/priority-level-configuration/strategy.ts";
import { ingress } from "./networking/ingress/strategy.ts";
import { ingressClass } from "./networking/ingress-class/strategy.ts";
import { ipAddress } from "./networking/ip-address/strategy.ts";
import { networkPolicy } from "./networking/network-policy/strategy.ts";
import { serviceCidr } from "./networking/service-cidr/strategy.ts";
import { runtimeClass } from "./node/runtime-class/strategy.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget/strategy.ts";
import { clusterRole } from "./rbac/cluster-role/strategy.ts";
import { clusterRoleBinding } from "./rbac/cluster-role-binding/strategy.ts";
import { role } from "./rbac/role/strategy.ts";
import { roleBinding } from "./rbac/role-binding/strategy.ts";
import { deviceClass } from "./resource/device-class/strategy.ts";
import { resourceClaim } from "./resource/resource-claim/strategy.ts";
import { resourceClaimTemplate } from "./resource/resource-claim-template/strategy.ts";
import { resourceSlice } from "./resource/resource-slice/strategy.ts";
import { priorityClass } from "./scheduling/priority-class/strategy.ts";
import { csiDriver } from "./storage/csi-driver/strategy.ts";
import { csiNode } from "./storage/csi-node/strategy.ts";
import { csiStorageCapacity } from "./storage/csi-storage-capacity/strategy.ts";
import { storageClass } from "./storage/storage-class/strategy.ts";
import { volumeAttachment } from "./storage/volume-attachment/strategy.ts";
import { volumeAttributesClass } from "./storage/volume-attributes-class/strategy.ts";

export const kinds: readonly Strategy[] = [
  apiService,
  certificateSigningRequest,
  clusterRole,
  clusterRoleBinding,
  componentStatus,
  configMap,
  controllerRevision,
  cronJob,
  csiDriver,
  csiNode,
  csiStorageCapacity,
  customResourceDefinition,
  daemonSet,
  deployment,
  deviceClass,
  endpoints,
  endpointSlice,
  event,
  flowSchema,
  horizontalPodAutoscaler,
  horizontalPodAutoscalerV1,
  ingress,
  ingressClass,
  ipAddress,
  job,
  lease,
  limitRange,
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  mutatingWebhookConfiguration,
  namespace,
  networkPolicy,
  newEvent,
  node,
  persistentVolume,
  persistentVolumeClaim,
  pod,
  podDisruptionBudget,
  podTemplate,
  priorityClass,
  priorityLevelConfiguration,
  replicaSet,
  replicationController,
  resourceClaim,
  resourceClaimTemplate,
  resourceQuota,
  resourceSlice,
  role,
  roleBinding,
  runtimeClass,
  secret,
  service,
  serviceAccount,
  serviceCidr,
  statefulSet,
  storageClass,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
  validatingWebhookConfiguration,
  volumeAttachment,
  volumeAttributesClass,
];
