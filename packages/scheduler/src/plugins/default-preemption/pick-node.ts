/** On which node making room costs the least. */
import type { Victims } from "../../framework/extender.ts";
import { priorityOf, startOf } from "./importance.ts";

/** Makes all priorities positive, so that fewer victims of a negative one are better than many. */
const priorityOffset = 2 ** 31;

/** From the most important question to the least; the lower the better. */
const costs: readonly ((victims: Victims, nowMs: number) => number)[] = [
  ({ violations }) => violations,
  ({ pods: [first] }) => (first === undefined ? 0 : priorityOf(first)),
  ({ pods }) => pods.reduce((sum, pod) => sum + priorityOf(pod) + priorityOffset, 0),
  ({ pods }) => pods.length,
  (victims, nowMs) => -earliestStart(victims, nowMs),
];

/** The first of the best. */
export function pickOneNodeForPreemption(candidates: ReadonlyMap<string, Victims>, nowMs: number): string | undefined {
  let left = [...candidates];
  for (const cost of costs) {
    if (left.length <= 1) break;
    const priced = left.map((candidate) => ({ candidate, price: cost(candidate[1], nowMs) }));
    const least = priced.reduce((lowest, { price }) => Math.min(lowest, price), Number.POSITIVE_INFINITY);
    left = priced.filter(({ price }) => price === least).map(({ candidate }) => candidate);
  }
  return left[0]?.[0];
}

/** Of the victims of the highest priority. */
function earliestStart({ pods }: Victims, nowMs: number): number {
  const highest = pods.reduce((most, pod) => Math.max(most, priorityOf(pod)), Number.NEGATIVE_INFINITY);
  return pods.reduce(
    (earliest, pod) => (priorityOf(pod) === highest ? Math.min(earliest, startOf(pod, nowMs)) : earliest),
    Number.POSITIVE_INFINITY,
  );
}
