import { autoscalerToV2 } from "../../convert/autoscaler.ts";
import { defineKind } from "../../kind.ts";
import type { HorizontalPodAutoscaler } from "../../types/autoscaling-v1.ts";
import type { HorizontalPodAutoscaler as AutoscalerV2 } from "../../types/autoscaling-v2.ts";
import { autoscalerCells } from "./autoscaler-cells.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

/** The old form: whatever is asked of it is asked of its autoscaling/v2 form. */
export const horizontalPodAutoscalerV1 = defineKind<HorizontalPodAutoscaler>({
  type: "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler",
  generation: "never",
  defaults({ spec }) {
    if (spec !== undefined) spec.minReplicas ??= 1;
  },
  prepareForCreate(obj) {
    obj.status = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validate: (obj, prev) => horizontalPodAutoscaler.validate?.(newForm(obj), prev && newForm(prev)) ?? [],
  validateStatusUpdate: (next, prev) => horizontalPodAutoscaler.validateStatusUpdate?.(newForm(next), newForm(prev)) ?? [],
  cells: (obj, now) => autoscalerCells(newForm(obj), now),
});

const newForm = (obj: Readonly<HorizontalPodAutoscaler>): AutoscalerV2 => autoscalerToV2(obj) as AutoscalerV2;
