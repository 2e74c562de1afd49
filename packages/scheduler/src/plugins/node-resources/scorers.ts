/** Scores of 0 to 100 for how full a node would be. */
import { maxScore } from "../normalize.ts";
import type { ScoredResource } from "./allocation.ts";

export interface Strategy {
  readonly type: "LeastAllocated" | "MostAllocated" | "RequestedToCapacityRatio";
  readonly resources: readonly ScoredResource[];
  /** For the ratio: percent of the capacity, rising, and the score there, 0 to 10. */
  readonly shape: readonly ShapePoint[];
}

export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

export type Scorer = (requested: Float64Array, allocatable: Float64Array) => number;

export function scorerOf({ type, resources, shape }: Strategy): Scorer {
  const weights = resources.map(({ weight }) => weight);
  if (type === "LeastAllocated") return weighted(weights, free);
  if (type === "MostAllocated") return weighted(weights, taken);
  return ratioScorer(weights, shape);
}

/** Free of what there is. */
const free = (requested: number, capacity: number): number =>
  requested > capacity ? 0 : Math.trunc(((capacity - requested) * maxScore) / capacity);

/** Containers that ask for nothing may have brought the sum above the capacity. */
const taken = (requested: number, capacity: number): number => Math.trunc((Math.min(requested, capacity) * maxScore) / capacity);

function weighted(weights: readonly number[], scoreOf: (requested: number, capacity: number) => number): Scorer {
  return (requested, allocatable) => {
    let sum = 0;
    let total = 0;
    for (const [i, weight] of weights.entries()) {
      const capacity = allocatable[i] ?? 0;
      if (capacity === 0) continue;
      sum += scoreOf(requested[i] ?? 0, capacity) * weight;
      total += weight;
    }
    return total === 0 ? 0 : Math.trunc(sum / total);
  };
}

/** Resources that score nothing do not count, and the mean is rounded. */
function ratioScorer(weights: readonly number[], points: readonly ShapePoint[]): Scorer {
  const shape = points.map(({ utilization, score }) => ({ utilization, score: (score * maxScore) / 10 }));
  return (requested, allocatable) => {
    let sum = 0;
    let total = 0;
    for (const [i, weight] of weights.entries()) {
      const capacity = allocatable[i] ?? 0;
      if (capacity === 0) continue;
      const wanted = requested[i] ?? 0;
      const score = along(shape, wanted > capacity ? 100 : Math.trunc((wanted * 100) / capacity));
      if (score <= 0) continue;
      sum += score * weight;
      total += weight;
    }
    return total === 0 ? 0 : Math.round(sum / total);
  };
}

/** On the line through the points, level before the first and after the last. */
function along(shape: readonly ShapePoint[], utilization: number): number {
  const next = shape.findIndex((point) => utilization <= point.utilization);
  const to = shape[next];
  const from = shape[next - 1];
  if (to === undefined) return shape.at(-1)?.score ?? 0;
  if (from === undefined) return to.score;
  return from.score + Math.trunc(((to.score - from.score) * (utilization - from.utilization)) / (to.utilization - from.utilization));
}
