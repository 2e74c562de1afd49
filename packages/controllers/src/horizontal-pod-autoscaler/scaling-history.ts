/** What the autoscaler remembers of each target: what it would have done, and what it did. Times are milliseconds by the monotonic clock. */

export interface Recommendation {
  readonly replicas: number;
  readonly at: number;
}

/** How many more or fewer there were at once; never negative. */
export interface ScaleEvent {
  readonly change: number;
  readonly at: number;
}

export interface ScalingHistory {
  readonly recommendations: readonly Recommendation[];
  readonly up: readonly ScaleEvent[];
  readonly down: readonly ScaleEvent[];
}

export const noHistory: ScalingHistory = { recommendations: [], up: [], down: [] };

/** With one more, and without those that are too old to matter. */
export const remember = <T extends { readonly at: number }>(list: readonly T[], next: T, keepMs: number): readonly T[] => [
  ...list.filter(({ at }) => at >= next.at - keepMs),
  next,
];

/** How many came or went within the last so many seconds. */
export const changeWithin = (events: readonly ScaleEvent[], periodSeconds: number, nowMs: number): number =>
  events.filter(({ at }) => at > nowMs - periodSeconds * 1000).reduce((total, { change }) => total + change, 0);
