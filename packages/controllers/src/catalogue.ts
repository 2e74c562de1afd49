/** All that Kubernetes runs in kube-controller-manager and that runs here, and the choice among it. */
import type { BuiltInController } from "./built-in-controller.ts";
import { certificateApprovingController, certificateCleanerController } from "./certificate-signing/controller.ts";
import { clusterRoleAggregationController } from "./cluster-role-aggregation/controller.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { daemonSetController } from "./daemon-set/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { disruptionController } from "./disruption/controller.ts";
import { endpointSliceController } from "./endpoint-slice/controller.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring/controller.ts";
import { endpointsController } from "./endpoints/controller.ts";
import { garbageCollectorController } from "./garbage-collector/controller.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/controller.ts";
import { jobController } from "./job/controller.ts";
import { namespaceController } from "./namespace/controller.ts";
import { nodeLifecycleController } from "./node-lifecycle/controller.ts";
import { nodeTtlController } from "./node-ttl/controller.ts";
import { persistentVolumeBinderController } from "./persistent-volume-binder/controller.ts";
import { podGarbageCollectorController } from "./pod-garbage-collection/controller.ts";
import { replicaSetController } from "./replica-set/controller.ts";
import { replicationControllerController } from "./replication-controller/controller.ts";
import { resourceQuotaController } from "./resource-quota/controller.ts";
import { rootCaPublisherController } from "./root-ca-publisher/controller.ts";
import { serviceAccountController } from "./service-account/controller.ts";
import { statefulSetController } from "./stateful-set/controller.ts";
import { taintEvictionController } from "./taint-eviction/controller.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/controller.ts";
import { volumeAttributesClassProtectionController } from "./volume-protection/attributes-class.ts";
import { claimProtectionController, volumeProtectionController } from "./volume-protection/controller.ts";

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
  nodeLifecycleController,
  nodeTtlController,
  persistentVolumeBinderController,
  podGarbageCollectorController,
  replicaSetController,
  replicationControllerController,
  resourceQuotaController,
  rootCaPublisherController,
  serviceAccountController,
  statefulSetController,
  taintEvictionController,
  ttlAfterFinishedController,
  volumeAttributesClassProtectionController,
  volumeProtectionController,
];

/** Names or aliases, `*` for all that are on by default, and either with `-` in front for what is not to run. */
export type ControllerChoice = readonly string[];

/** kube-controller-manager's. */
export const everyController: ControllerChoice = ["*"];

export class UnknownControllerError extends Error {
  constructor(name: string) {
    super(`${JSON.stringify(name)} is not in the list of known controllers`);
    this.name = "UnknownControllerError";
  }
}

/**
 * As `--controllers` of kube-controller-manager: the first that speaks of a controller decides, and what nobody speaks of
 * runs if `*` is among them and it is on by default. @throws UnknownControllerError
 */
export function chooseControllers(
  choice: ControllerChoice,
  known: readonly BuiltInController[] = builtInControllers,
): readonly BuiltInController[] {
  const words = choice.filter((word) => word !== "*").map((word) => wordOf(word, known));
  const hasStar = choice.includes("*");
  return known.filter((one) => {
    const first = words.find(({ controller }) => controller === one);
    return first === undefined ? hasStar && one.offByDefault !== true : first.wanted;
  });
}

interface Word {
  readonly controller: BuiltInController;
  readonly wanted: boolean;
}

function wordOf(word: string, known: readonly BuiltInController[]): Word {
  const wanted = !word.startsWith("-");
  const name = wanted ? word : word.slice(1);
  const controller = known.find((one) => one.name === name || one.aliases?.includes(name));
  if (controller === undefined) throw new UnknownControllerError(name);
  return { controller, wanted };
}
