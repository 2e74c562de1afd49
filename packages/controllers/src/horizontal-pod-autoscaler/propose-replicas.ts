/** How many replicas bring the use of each near what is wanted. @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details */
import type { Pod } from "../shared/pods/pod-state.ts";
import { isPodReady } from "../shared/pods/pod-state.ts";
import { isWithin, type Tolerances } from "./hpa-types.ts";
import { groupPods, type PodMetrics } from "./pod-metrics.ts";

export interface PodUsage {
  readonly current: number;
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  /** `cpu`, `memory`, … Undefined for what is no resource. */
  readonly resource: string | undefined;
  readonly tolerances: Tolerances;
  readonly nowMs: number;
  /** Usage by target, and what the status reports of it. @throws Error when it cannot be computed */
  readonly measure: (values: ReadonlyMap<string, number>) => Measured;
  /** What a Pod without figures is taken to use when fewer would do: as much as it may. */
  readonly fallback: (pod: string) => number;
}

export interface Measured {
  readonly ratio: number;
  /** Thousandths, of one Pod. */
  readonly average: number;
  /** Of requests. */
  readonly percent?: number;
}

export interface Proposed extends Measured {
  readonly replicas: number;
}

/** @throws Error when nothing is known of the Pods */
export function proposeReplicas(usage: PodUsage): Proposed {
  const { current, pods, metrics, resource, tolerances, nowMs, measure } = usage;
  if (pods.length === 0) throw new Error("no pods returned by selector while calculating replica count");
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, resource, nowMs);
  const values = new Map(Array.from(metrics, ([name, { value }]) => [name, value]));
  for (const name of [...ignored, ...unready]) values.delete(name);
  if (values.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  const measured = measure(values);
  const { ratio } = measured;
  const isUpWithUnready = unready.length > 0 && ratio > 1;
  if (!isUpWithUnready && missing.length === 0)
    return { ...measured, replicas: isWithin(tolerances, ratio) ? current : Math.ceil(ratio * ready) };
  if (ratio !== 1) for (const name of missing) values.set(name, ratio < 1 ? usage.fallback(name) : 0);
  if (isUpWithUnready) for (const name of unready) values.set(name, 0);
  return { ...measured, replicas: cautious({ current, before: ratio, ratio: measure(values).ratio, count: values.size }, tolerances) };
}

interface GuessedRatio {
  readonly current: number;
  /** Without what is guessed. */
  readonly before: number;
  /** With it. */
  readonly ratio: number;
  readonly count: number;
}

/** What is guessed must not turn the direction. */
function cautious({ current, before, ratio, count }: GuessedRatio, tolerances: Tolerances): number {
  if (isWithin(tolerances, ratio) || (before < 1 && ratio > 1) || (before > 1 && ratio < 1)) return current;
  const replicas = Math.ceil(ratio * count);
  return (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current) ? current : replicas;
}

/** Against what each Pod requests. */
export function utilization(requests: ReadonlyMap<string, number>, targetPercent: number): PodUsage["measure"] {
  return (values) => {
    const known = [...values].filter(([name]) => requests.has(name));
    const used = sum(known.map(([, value]) => value));
    const requested = sum(known.map(([name]) => requests.get(name) ?? 0));
    if (requested === 0) throw new Error("no metrics returned matched known pods");
    const percent = Math.trunc((used * 100) / requested);
    return { ratio: percent / targetPercent, percent, average: Math.trunc(used / known.length) };
  };
}

/** Against one value for each. */
export const averageUsage =
  (target: number): PodUsage["measure"] =>
  (values) => {
    const average = Math.trunc(sum([...values.values()]) / values.size);
    return { ratio: average / target, average };
  };

/** For one figure of all of them together. From zero on any use is for as many as it takes. */
export function proposeForTotal(current: number, ratio: number, pods: readonly Pod[], tolerances: Tolerances): number {
  if (current === 0) return Math.ceil(ratio);
  if (isWithin(tolerances, ratio)) return current;
  if (pods.length === 0) throw new Error("unable to calculate ready pods: no pods returned by selector while calculating replica count");
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length;
  return limited(Math.ceil(ratio * ready));
}

/** For one figure that is to be divided among them. */
export function proposeForShare(current: number, usage: number, target: number, tolerances: Tolerances): number {
  return isWithin(tolerances, usage / (target * current)) ? current : limited(Math.ceil(usage / target));
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const limited = (replicas: number): number => Math.min(replicas, 0x7fffffff);
