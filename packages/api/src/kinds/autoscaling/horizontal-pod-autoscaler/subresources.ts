import type { HorizontalPodAutoscaler } from "@coxswain/types/autoscaling-v2";
import type { Subresources } from "../../../strategy/strategy.ts";
import { type Errors, nonNegative } from "../../../validation/checks.ts";

export const horizontalPodAutoscalerSubresources: Subresources<HorizontalPodAutoscaler> = {
  status: {
    validateUpdate: ({ status }) => {
      const out: Errors = [];
      nonNegative(out, "status.currentReplicas", status?.currentReplicas);
      nonNegative(out, "status.desiredReplicas", status?.desiredReplicas);
      return out;
    },
  },
};
