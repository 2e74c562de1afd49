import type { HorizontalPodAutoscaler } from "@coxswain/types/autoscaling-v1";
import type { HorizontalPodAutoscaler as AutoscalerV2 } from "@coxswain/types/autoscaling-v2";
import { autoscalerToV1, autoscalerToV2, withoutCarriers } from "../../../conversion/autoscaler.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { horizontalPodAutoscalerV1Columns } from "./columns.ts";
import { horizontalPodAutoscaler } from "./strategy.ts";

/** The old form: whatever is asked of it is asked of its autoscaling/v2 form. */
export const horizontalPodAutoscalerV1 = defineKind<HorizontalPodAutoscaler>({
  type: "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler",
  generation: "never",
  defaults(obj) {
    if (obj.spec !== undefined) obj.spec.minReplicas ??= 1;
    // The way to v2 and back sets the target that was left out, and says in the annotations what it understood of them.
    const v2 = newForm(obj);
    horizontalPodAutoscaler.defaults?.(v2);
    Object.assign(obj, autoscalerToV1(v2));
  },
  prepareForCreate(obj) {
    obj.status = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validate: (obj, prev) => horizontalPodAutoscaler.validate?.(newForm(obj), prev && newForm(prev)) ?? [],
  subresources: {
    status: {
      validateUpdate: (next, prev) => horizontalPodAutoscaler.subresources?.status?.validateUpdate?.(newForm(next), newForm(prev)) ?? [],
    },
  },
  ownMetadata: withoutCarriers,
  columns: horizontalPodAutoscalerV1Columns,
});

const newForm = (obj: Readonly<HorizontalPodAutoscaler>): AutoscalerV2 => autoscalerToV2(obj) as AutoscalerV2;
