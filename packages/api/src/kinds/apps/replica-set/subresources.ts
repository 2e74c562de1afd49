import type { Subresources } from "../../../strategy/strategy.ts";
import type { ReplicaSet } from "../../../types/apps-v1.ts";
import { validateReplicaCounts } from "../../../validation/replica-status.ts";

export const replicaSetSubresources: Subresources<ReplicaSet> = {
  status: {
    validateUpdate: ({ status }) => validateReplicaCounts("ReplicaSet", status),
  },
};
