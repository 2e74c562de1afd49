import type { KubeObject } from "@coxswain/machinery";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "@coxswain/types/autoscaling-v2";
import { cpuMetric, defaultCpuUtilization, withoutCarriers } from "../../../conversion/autoscaler.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { horizontalPodAutoscalerColumns } from "./columns.ts";
import { horizontalPodAutoscalerSubresources } from "./subresources.ts";
import { horizontalPodAutoscalerValidation } from "./validation.ts";

/** @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/ */
export const horizontalPodAutoscaler = defineKind<HorizontalPodAutoscaler>({
  type: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
  generation: "never",
  defaults(obj) {
    const { spec } = obj;
    obj.metadata = withoutCarriers(obj.metadata);
    if (spec === undefined) return;
    spec.minReplicas ??= 1;
    if (!spec.metrics?.length) spec.metrics = [cpuMetric(defaultCpuUtilization)];
    if (spec.behavior === undefined) return;
    spec.behavior.scaleUp = { ...scaleUpRules(), ...spec.behavior.scaleUp };
    spec.behavior.scaleDown = { ...scaleDownRules(), ...spec.behavior.scaleDown };
  },
  prepareForCreate: resetStatus,
  ...horizontalPodAutoscalerValidation,
  subresources: horizontalPodAutoscalerSubresources,
  columns: horizontalPodAutoscalerColumns,
});

/** A list that is empty is written as null here, which the type does not say. */
function resetStatus(obj: KubeObject): void {
  obj.status = { currentMetrics: null, desiredReplicas: 0 };
}

/** Up: at once, by four Pods or by all there are again, every 15 seconds. */
const scaleUpRules = (): HPAScalingRules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
});

/** Down: to nothing, after a window that the controller's flag sets. */
const scaleDownRules = (): HPAScalingRules => ({
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
});
