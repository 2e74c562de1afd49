/** What functions cost that make lists. */
import { exactly, listCost, plus, scaled, times, traversalFactor, unbounded } from "../cost/bounds.ts";
import { type Cost, nothing, sizeOf } from "../define/call-cost.ts";
import type { CostEstimate, EstimatedArgument, SizeBounds } from "../environment/library.ts";
import type { CelType } from "../types/type.ts";
import { CelList, type CelValue } from "../values/value.ts";

/** So much for each item, besides the call and the list. */
const making = (items: number, factor = 1): number => Math.floor(items * factor) + 1 + listCost;

const makingBounds = (items: SizeBounds, factor = 1): CostEstimate => ({
  cost: plus(scaled(items, factor), exactly(1 + listCost)),
  resultSize: { min: items.min, max: items.max },
});

const makesResult: Cost["cost"] = (_, result) => making(sizeOf(result));

/** What is no literal counts as what makes the longest list. The start is not subtracted where it is beyond the end: that is a huge list. */
export const sliceCost: Cost = {
  cost: makesResult,
  estimate: ([list = nothing, start, end]) => {
    const length = literal(end, list.max) - literal(start, 0);
    return makingBounds(exactly(length < 0 ? length + unbounded : length));
  },
};

export const rangeCost: Cost = {
  cost: makesResult,
  estimate: ([count]) => makingBounds(exactly(literal(count, unbounded))),
};

export const reverseCost: Cost = {
  cost: makesResult,
  estimate: ([list = nothing]) => makingBounds(list),
};

export const flattenCost: Cost = {
  cost: ([list, depth]) => making(sizeOf(list), typeof depth === "bigint" ? Number(depth) : 1),
  estimate: ([list = nothing, depth]) => makingBounds(list, depth === undefined ? 1 : literal(depth, unbounded)),
};

/** Every item is compared with every other, in both directions. */
export const distinctCost: Cost = {
  cost: ([list]) => comparingAll(list),
  estimate: ([list = nothing]) => makingBounds(times(list, list), 2),
};

/** Of a list by the keys in an argument, which may be the list itself. */
export const sortCost = (type: CelType, keysAt: 0 | 1): Cost => ({
  cost: (args) => comparingAll(args[keysAt]),
  estimate: (args) => {
    const keys = args[keysAt] ?? nothing;
    return makingBounds(times(keys, keys), type.kind === "string" || type.kind === "bytes" ? 2 + traversalFactor : 2);
  },
});

function comparingAll(list: CelValue | undefined): number {
  const size = sizeOf(list);
  const first = list instanceof CelList && size > 0 ? list.at(0) : undefined;
  return making(size * size, typeof first === "string" || first instanceof Uint8Array ? 2 + traversalFactor : 2);
}

function literal(arg: EstimatedArgument | undefined, otherwise: number): number {
  return typeof arg?.literal === "bigint" ? Math.max(0, Number(arg.literal)) : otherwise;
}
