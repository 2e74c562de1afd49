import type { Deployment } from "@coxswain/types/apps-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { validateCollisionCount, validateReplicaCounts } from "../../../validation/replica-status.ts";

export const deploymentSubresources: Subresources<Deployment> = {
  status: {
    resetFields: [["metadata", "labels"]],
    prepareForUpdate: ({ metadata = {} }, prev) => {
      if (prev.metadata?.labels === undefined) delete metadata.labels;
      else metadata.labels = prev.metadata.labels;
    },
    validateUpdate: ({ status }, prev) => {
      const out = validateReplicaCounts("Deployment", status);
      validateCollisionCount(out, status, prev.status);
      return out;
    },
  },
};
