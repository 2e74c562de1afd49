/**
 * What is counted about APIServices, under Kubernetes' names.
 * @see https://kubernetes.io/docs/reference/instrumentation/metrics/
 */
import type { Definers } from "./definers.ts";
import { LabelledCounts, valuesOf } from "./labelled.ts";

/** What the condition Available of an APIService says. */
export interface AvailabilityState {
  readonly isAvailable: boolean;
  readonly reason: string;
}

export class AggregationSeries {
  /** By the APIService's name. */
  readonly states = new Map<string, AvailabilityState>();
  readonly becameUnavailable = new LabelledCounts<{ name: string; reason: string }>();

  /** @param state undefined of one that has gone */
  set(name: string, state: AvailabilityState | undefined): void {
    const before = this.states.get(name);
    if (state === undefined) this.states.delete(name);
    else this.states.set(name, state);
    if (before?.isAvailable === true && state?.isAvailable === false) this.becameUnavailable.add({ name, reason: state.reason });
  }
}

export function exposeAggregation({ counter, gauge }: Definers, { states, becameUnavailable }: AggregationSeries): void {
  gauge(
    "aggregator_unavailable_apiservice",
    "[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.",
    [...states].map(([name, { isAvailable }]) => [{ name }, isAvailable ? 0 : 1] as const),
  );
  counter(
    "aggregator_unavailable_apiservice_total",
    "[ALPHA] Counter of APIServices which are marked as unavailable broken down by APIService name and reason.",
    valuesOf(becameUnavailable),
  );
}
