/**
 * What calls of the libraries cost, as Kubernetes charges them: strings by what a traversal of them costs,
 * everything else 1. A change here changes which rules a CustomResourceDefinition may have.
 */
import { exactly, patternFactor, plus, scaled, times, traversalFactor } from "../cost/bounds.ts";
import type { CelOverload, EstimatedArgument, SizeBounds } from "../environment/library.ts";
import { runeCount } from "../values/runes.ts";
import { CelList, CelMap, CelOptional, type CelValue } from "../values/value.ts";

/** How an overload is charged: while it runs, and before it does. */
export type Cost = Required<Pick<CelOverload, "cost" | "estimate">>;

/** A list's items, a map's keys, a string's characters, bytes; 1 for everything else. */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === "string") return runeCount(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelOptional ? sizeOf(value.value) : 1;
}

export const traversal = (size: number, passes = 1): number => Math.ceil(size * passes * traversalFactor);

/** Regular expressions: each part of the pattern is a state, taken to be four characters long. */
export const matching = (size: number, patternSize: number): number =>
  Math.ceil((1 + size) * traversalFactor) * Math.ceil(patternSize * patternFactor);

export const matchingBounds = (size: SizeBounds, patternSize: SizeBounds): SizeBounds =>
  times(scaled(plus(size, exactly(1)), traversalFactor), scaled(patternSize, patternFactor));

/** The first argument is traversed; `sameSize` when the result may be as large. */
export const traversesFirst = (passes = 1, sameSize = false): Cost => ({
  cost: ([first]) => traversal(sizeOf(first), passes),
  estimate: ([first = nothing]) => ({
    cost: scaled(first, passes * traversalFactor),
    ...(sameSize ? { resultSize: { min: first.min, max: first.max } } : {}),
  }),
});

/** Lists in which every item is looked at; in lists of strings so is every character. */
export const traversesItems: Cost = {
  cost: ([first]) => (first === undefined ? 0 : deepTraversal(first)),
  estimate: ([first = nothing]) => {
    if (first.type.kind !== "list") return { cost: scaled(first, traversalFactor) };
    const { kind } = first.type.item;
    const perItem = kind === "string" || kind === "bytes" ? plus(exactly(1), scaled(first.items, traversalFactor)) : exactly(1);
    return { cost: times(first, perItem) };
  },
};

/** Strings count in bytes here, and rounded down: `[1, 2].sum()` costs 2, `['a', 'b'].max()` nothing. */
function deepTraversal(value: CelValue): number {
  if (typeof value === "string") return Math.floor(utf8Length(value) * traversalFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversalFactor);
  let cost = 0;
  if (value instanceof CelList) for (const item of value) cost += deepTraversal(item);
  else if (value instanceof CelMap) for (const key of value.keys()) cost += deepTraversal(key) + deepTraversal(value.get(key) ?? null);
  else cost = 1;
  return cost;
}

function utf8Length(text: string): number {
  let length = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}

/** Stands for an argument that is not there. */
export const nothing: EstimatedArgument = { min: 0, max: 0, type: { kind: "dyn" }, items: exactly(0) };
