import type { ReplicaSet } from "@coxswain/types/apps-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { validateReplicaCounts } from "../../../validation/replica-status.ts";

export const replicaSetSubresources: Subresources<ReplicaSet> = {
  status: {
    validateUpdate: ({ status }) => validateReplicaCounts("ReplicaSet", status),
  },
};
