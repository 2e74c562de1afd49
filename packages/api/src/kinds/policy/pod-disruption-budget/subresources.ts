import type { PodDisruptionBudget } from "@coxswain/types/policy-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { type Errors, nonNegative } from "../../../validation/checks.ts";
import { validateConditions } from "../../../validation/conditions.ts";

export const podDisruptionBudgetSubresources: Subresources<PodDisruptionBudget> = {
  status: {
    metadataPasses: [],
    validateUpdate: ({ status = {} }) => {
      const out: Errors = [];
      validateConditions(out, "status.conditions", status.conditions ?? []);
      for (const key of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const) {
        nonNegative(out, `status.${key}`, status[key]);
      }
      return out;
    },
  },
};
