/** Of functions whose results are not as large as their arguments. */

import { exactly, plus, scaled, times, traversalFactor, unbounded } from "../cost/bounds.ts";
import { type Cost, nothing, sizeOf, traversal, traversesFirst } from "../define/call-cost.ts";
import type { EstimatedArgument, SizeBounds } from "../environment/library.ts";

/** The text is traversed, and the result made. */
const makesResult = traversesFirst(2);

export const quotes: Cost = {
  ...traversesFirst(),
  estimate: ([text = nothing]) => ({
    cost: scaled(text, traversalFactor),
    // The sum overflows in Kubernetes: a text of unknown size has a quoted one of size 0.
    resultSize: { min: (text.min + 2) % unbounded, max: (text.max * 2 + 2) % unbounded },
  }),
};

export const replaces: Cost = {
  ...makesResult,
  estimate: ([text = nothing, old = nothing, replacement = nothing]) => ({
    cost: scaled(text, 2 * traversalFactor),
    resultSize: replacedSize(text, old, replacement),
  }),
};

/** Each bound by itself: the most is the shortest part replaced by the longest as often as it fits. */
function replacedSize(text: SizeBounds, old: SizeBounds, replacement: SizeBounds): SizeBounds {
  const most = replaced(text.max, old.min, replacement.max <= old.min);
  const least = replaced(text.min, old.max, old.max <= replacement.min);
  const counts = times({ min: least.count, max: most.count }, replacement);
  return plus(counts, { min: least.kept, max: most.kept });
}

/** An empty string is replaced before each character and at the end, and the text stays. */
function replaced(text: number, old: number, keeps: boolean): { count: number; kept: number } {
  if (old === 0) return { count: text + 1, kept: text };
  return keeps ? { count: 0, kept: text } : { count: Math.ceil(text / old), kept: 0 };
}

export const splits: Cost = {
  ...makesResult,
  estimate: ([text = nothing, , limit]) => ({
    cost: scaled(text, 2 * traversalFactor),
    resultSize: { min: 0, max: partsOf(text, limit) },
  }),
};

/** Kubernetes takes a negative limit for a huge one. */
function partsOf(text: SizeBounds, limit: EstimatedArgument | undefined): number {
  if (typeof limit?.literal !== "bigint") return text.max;
  return limit.literal < 0n ? unbounded : Number(limit.literal);
}

export const joins: Cost = {
  cost: (_, result) => traversal(sizeOf(result), 2),
  estimate: ([list = nothing, separator]) => {
    const between = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
    const items = list.type.kind === "list" ? times(list, list.items) : exactly(0);
    const size = separator === undefined ? items : plus(items, times(separator, between));
    return { cost: scaled(size, traversalFactor), resultSize: size };
  },
};
