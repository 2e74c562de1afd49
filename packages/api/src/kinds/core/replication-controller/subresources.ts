import type { Subresources } from "../../../strategy/strategy.ts";
import type { ReplicationController } from "../../../types/core-v1.ts";
import { validateReplicaCounts } from "../../../validation/replica-status.ts";

export const replicationControllerSubresources: Subresources<ReplicationController> = {
  status: {
    validateUpdate: ({ status }) => validateReplicaCounts("ReplicaSet", status),
  },
};
