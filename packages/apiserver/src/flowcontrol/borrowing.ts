/**
 * Lends the seats that some priority levels do not use to others that could.
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness#dispatching
 */
import type { PriorityLevel } from "./priority-level.ts";
import { allocateSeats } from "./seat-allocation.ts";

/** How often seats are lent anew. Milliseconds. */
export const borrowingPeriodMs = 10_000;

/** @returns by which the targets of those levels are multiplied that run into no bound */
export function lendSeats(levels: readonly PriorityLevel[], now: number, periods: number): number {
  for (const { queues, series } of levels) {
    queues.demand.endPeriod(now, periods);
    series.demand = { ...queues.demand.last, smoothed: queues.demand.smoothed };
  }
  const total = sum(levels, ({ series }) => series.nominal);
  const exempt = levels.filter(({ isExempt }) => isExempt);
  const limited = levels.filter(({ isExempt }) => !isExempt);
  for (const level of exempt) level.limitTo(level.minCurrent, now);
  const remaining = total - sum(exempt, ({ minCurrent }) => minCurrent);
  const lower = sum(limited, ({ series }) => series.lower);
  const wanted = sum(limited, ({ minCurrent }) => minCurrent);
  for (const level of limited) level.series.target = Math.max(level.minCurrent, level.series.demand.smoothed);
  if (remaining <= wanted) {
    const share = remaining <= lower ? 0 : (remaining - lower) / (wanted - lower);
    for (const level of limited) level.limitTo(level.series.lower + Math.round((level.minCurrent - level.series.lower) * share), now);
    return 0;
  }
  const bounds = limited.map((level) => ({ lower: level.minCurrent, upper: level.series.upper, target: level.series.target }));
  const allocation = allocateSeats(total, bounds);
  for (const [i, level] of limited.entries()) level.limitTo(Math.round(allocation?.seats[i] ?? level.series.nominal), now);
  return allocation?.fairFraction ?? 0;
}

const sum = (levels: readonly PriorityLevel[], value: (level: PriorityLevel) => number): number =>
  levels.reduce((all, level) => all + value(level), 0);
