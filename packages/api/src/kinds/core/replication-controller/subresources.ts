import type { ReplicationController } from "@coxswain/types/core-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { validateReplicaCounts } from "../../../validation/replica-status.ts";

export const replicationControllerSubresources: Subresources<ReplicationController> = {
  status: {
    validateUpdate: ({ status }) => validateReplicaCounts("ReplicaSet", status),
  },
};
