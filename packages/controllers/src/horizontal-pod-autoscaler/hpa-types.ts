import type { autoscalingV2 } from "@coxswain/api";
import { parseQuantity } from "@coxswain/machinery";

export type Hpa = autoscalingV2.HorizontalPodAutoscaler;
export type HpaStatus = autoscalingV2.HorizontalPodAutoscalerStatus;
export type HpaCondition = autoscalingV2.HorizontalPodAutoscalerCondition;
export type MetricSpec = autoscalingV2.MetricSpec;
export type MetricStatus = autoscalingV2.MetricStatus;
export type ScalingRules = autoscalingV2.HPAScalingRules;

/** kube-controller-manager's defaults, of `--horizontal-pod-autoscaler-…`. */
export const defaults = {
  syncPeriodMs: 15_000,
  downscaleStabilizationMs: 300_000,
  tolerance: 0.1,
  /** So long after its start a Pod's use of CPU counts only while it is ready. */
  cpuInitializationMs: 300_000,
  /** A Pod that became unready so soon after its start has never been ready. */
  initialReadinessDelayMs: 30_000,
} as const;

/** How far from 1 the ratio of what is used to what is wanted may be without anything being done. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

export function tolerancesOf({ spec: { behavior } }: Hpa): Tolerances {
  const read = (rules: ScalingRules | undefined): number =>
    (rules?.tolerance === undefined ? undefined : parseQuantity(String(rules.tolerance))?.toNumber()) ?? defaults.tolerance;
  return { down: read(behavior?.scaleDown), up: read(behavior?.scaleUp) };
}

export const isWithin = ({ down, up }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up;

/** Thousandths. */
export const milliOf = (quantity: unknown): number => Number(parseQuantity(String(quantity))?.milli() ?? 0n);
