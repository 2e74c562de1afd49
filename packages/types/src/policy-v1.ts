// Written by scripts/generate-api-types.ts from the facts beside it.
import type { KubeObject, ObjectMeta as Meta } from "@coxswain/machinery";
import type { Condition, DeleteOptions, IntOrString, LabelSelector, ListMeta, Time } from "./meta-v1.ts";

export interface Eviction extends KubeObject {
  apiVersion?: string;
  deleteOptions?: DeleteOptions;
  kind?: string;
  metadata?: Meta;
}

export interface PodDisruptionBudget extends KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetList {
  apiVersion?: string;
  items: PodDisruptionBudget[];
  kind?: string;
  metadata?: ListMeta;
}

export interface PodDisruptionBudgetSpec {
  maxUnavailable?: IntOrString;
  minAvailable?: IntOrString;
  selector?: LabelSelector;
  unhealthyPodEvictionPolicy?: string;
}

export interface PodDisruptionBudgetStatus {
  conditions?: Condition[];
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, Time>;
  disruptionsAllowed?: number;
  expectedPods?: number;
  observedGeneration?: number;
}
