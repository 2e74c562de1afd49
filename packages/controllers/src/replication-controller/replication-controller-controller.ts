import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { controllerOfReplicas } from "../replica-set/replica-set-controller.ts";
import { replicationControllerApi } from "../replica-set/replicated.ts";

/** The older API of the same: what a ReplicaSet does, for whoever still has ReplicationControllers. */
export const replicationControllerController: BuiltInController = {
  name: "replicationcontroller-controller",
  aliases: ["replicationcontroller"],
  make: () => [controllerOfReplicas("replicationcontroller-controller", "replication-controller", replicationControllerApi)],
};
