import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { controllerOfReplicas } from "../replica-set/replica-set-controller.ts";
import { replicationControllerApi } from "../replica-set/replicated.ts";

/**
 * The replicationcontroller-controller does for ReplicationControllers what the replicaset-controller does for ReplicaSets, by the
 * same observe, plan and act.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/
 */
export const replicationControllerController: BuiltInController = {
  name: "replicationcontroller-controller",
  serviceAccount: "replication-controller",
  aliases: ["replicationcontroller"],
  make: () => [controllerOfReplicas("replicationcontroller-controller", "replication-controller", replicationControllerApi)],
};
