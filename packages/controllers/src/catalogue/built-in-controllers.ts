/** The list of the built-in controllers: a new one is a line here. */

import { certificateApprovingController } from "../certificate-approving/certificate-approving-controller.ts";
import { certificateCleanerController } from "../certificate-cleaner/certificate-cleaner-controller.ts";
import { clusterRoleAggregationController } from "../cluster-role-aggregation/cluster-role-aggregation-controller.ts";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { cronJobController } from "../cron-job/cron-job-controller.ts";
import { daemonSetController } from "../daemon-set/daemon-set-controller.ts";
import { deploymentController } from "../deployment/deployment-controller.ts";
import { disruptionController } from "../disruption/disruption-controller.ts";
import { endpointSliceController } from "../endpoint-slice/endpoint-slice-controller.ts";
import { endpointSliceMirroringController } from "../endpoint-slice-mirroring/endpoint-slice-mirroring-controller.ts";
import { endpointsController } from "../endpoints/endpoints-controller.ts";
import { garbageCollectorController } from "../garbage-collector/garbage-collector-controller.ts";
import { horizontalPodAutoscalerController } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts";
import { jobController } from "../job/job-controller.ts";
import { namespaceController } from "../namespace/namespace-controller.ts";
import { nodeIpamController } from "../node-ipam/node-ipam-controller.ts";
import { nodeLifecycleController } from "../node-lifecycle/node-lifecycle-controller.ts";
import { nodeTtlController } from "../node-ttl/node-ttl-controller.ts";
import { persistentVolumeBinderController } from "../persistent-volume-binder/persistent-volume-binder-controller.ts";
import { claimProtectionController } from "../persistent-volume-claim-protection/persistent-volume-claim-protection-controller.ts";
import { volumeProtectionController } from "../persistent-volume-protection/persistent-volume-protection-controller.ts";
import { podGarbageCollectorController } from "../pod-garbage-collection/pod-garbage-collection-controller.ts";
import { replicaSetController } from "../replica-set/replica-set-controller.ts";
import { replicationControllerController } from "../replication-controller/replication-controller-controller.ts";
import { resourceQuotaController } from "../resource-quota/resource-quota-controller.ts";
import { rootCaPublisherController } from "../root-ca-publisher/root-ca-publisher-controller.ts";
import { serviceAccountController } from "../service-account/service-account-controller.ts";
import { serviceCidrController } from "../service-cidr/service-cidr-controller.ts";
import { statefulSetController } from "../stateful-set/stateful-set-controller.ts";
import { taintEvictionController } from "../taint-eviction/taint-eviction-controller.ts";
import { ttlAfterFinishedController } from "../ttl-after-finished/ttl-after-finished-controller.ts";
import { validatingAdmissionPolicyStatusController } from "../validating-admission-policy-status/validating-admission-policy-status-controller.ts";
import { volumeAttributesClassProtectionController } from "../volume-attributes-class-protection/volume-attributes-class-protection-controller.ts";

/** Every controller of kube-controller-manager that runs here, by name of its export. */
export const builtInControllers: readonly BuiltInController[] = [
  certificateApprovingController,
  certificateCleanerController,
  claimProtectionController,
  clusterRoleAggregationController,
  cronJobController,
  daemonSetController,
  deploymentController,
  disruptionController,
  endpointSliceController,
  endpointSliceMirroringController,
  endpointsController,
  garbageCollectorController,
  horizontalPodAutoscalerController,
  jobController,
  namespaceController,
  nodeIpamController,
  nodeLifecycleController,
  nodeTtlController,
  persistentVolumeBinderController,
  podGarbageCollectorController,
  replicaSetController,
  replicationControllerController,
  resourceQuotaController,
  rootCaPublisherController,
  serviceAccountController,
  serviceCidrController,
  statefulSetController,
  taintEvictionController,
  ttlAfterFinishedController,
  validatingAdmissionPolicyStatusController,
  volumeAttributesClassProtectionController,
  volumeProtectionController,
];
