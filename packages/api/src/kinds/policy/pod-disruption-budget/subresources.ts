import type { Subresources } from "../../../strategy/strategy.ts";
import type { PodDisruptionBudget } from "../../../types/policy-v1.ts";
import { type Errors, nonNegative } from "../../../validation/checks.ts";
import { checkConditions } from "../../../validation/conditions.ts";

export const podDisruptionBudgetSubresources: Subresources<PodDisruptionBudget> = {
  status: {
    validateUpdate: ({ status = {} }) => {
      const out: Errors = [];
      checkConditions(out, "status.conditions", status.conditions ?? []);
      for (const key of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const) {
        nonNegative(out, `status.${key}`, status[key]);
      }
      return out;
    },
  },
};
