import type { StatefulSet } from "@coxswain/types/apps-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { validateCollisionCount, validateReplicaCounts } from "../../../validation/replica-status.ts";

export const statefulSetSubresources: Subresources<StatefulSet> = {
  status: {
    validateUpdate: ({ status }, prev) => {
      const out = validateReplicaCounts("StatefulSet", status);
      validateCollisionCount(out, status, prev.status);
      return out;
    },
  },
};
