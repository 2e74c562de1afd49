/** What calls of the standard functions may cost, by the ids of their overloads; all others cost 1. */
import type { CostEstimate, EstimatedArgument, SizeBounds } from "../environment/library.ts";
import type { CelType } from "../types/type.ts";
import { either, exactly, patternFactor, plus, saturated, scaled, times, traversalFactor, unbounded, unknownSize } from "./bounds.ts";

type Estimator = (args: readonly EstimatedArgument[]) => CostEstimate;

export const standardEstimates: ReadonlyMap<string, Estimator> = new Map<string, Estimator>([
  ["string_to_bytes", ([text = unknown]) => ({ ...traversing(text), resultSize: { min: text.min, max: saturated(text.max * 4) } })],
  ["bytes_to_string", ([bytes = unknown]) => ({ ...traversing(bytes), resultSize: { min: Math.floor(bytes.min / 4), max: bytes.max } })],
  ["starts_with_string", ([, part = unknown]) => traversing(part)],
  ["ends_with_string", ([, part = unknown]) => traversing(part)],
  ["contains_string", ([text = unknown, part = unknown]) => ({ cost: times(traversing(text).cost, traversing(part).cost) })],
  ["matches_string", ([text = unknown, pattern = unknown]) => matching(text, pattern)],
  ["in_list", ([, list = unknown]) => ({ cost: { min: list.min, max: list.max } })],
  ["add_string", concatenating(true)],
  ["add_bytes", concatenating(true)],
  ["add_list", concatenating(false)],
  ["equals", (args) => equality(args) ?? comparing(args)],
  ["not_equals", comparing],
  ...["less", "less_equals", "greater", "greater_equals"].flatMap((name): [string, Estimator][] => [
    [`${name}_string`, comparing],
    [`${name}_bytes`, comparing],
  ]),
]);

const unknown: EstimatedArgument = { ...unknownSize, type: { kind: "dyn" }, items: unknownSize };

function traversing(size: SizeBounds): CostEstimate {
  return { cost: scaled(size, traversalFactor) };
}

/** One more than the text's length, so that an empty text does not make a long pattern free. */
export function matching(text: SizeBounds, pattern: SizeBounds): CostEstimate {
  return { cost: times(scaled(plus(text, exactly(1)), traversalFactor), scaled(pattern, patternFactor)) };
}

/** Lists are not copied. */
function concatenating(copies: boolean): Estimator {
  return ([left = unknown, right = unknown]) => {
    const resultSize = plus(left, right);
    return { cost: copies ? scaled(resultSize, traversalFactor) : exactly(1), resultSize };
  };
}

/** As long as the shorter one. */
function comparing([left = unknown, right = unknown]: readonly EstimatedArgument[]): CostEstimate {
  const max = Math.min(left.max, right.max);
  return { cost: scaled({ min: max > 0 ? 1 : 0, max }, traversalFactor) };
}

/** Values of libraries are compared at once, or by texts: those that they were made of, or their names. */
function equality([left = unknown, right = unknown]: readonly EstimatedArgument[]): CostEstimate | undefined {
  const name = opaqueName(left.type);
  if (name === undefined || name !== opaqueName(right.type)) return undefined;
  const size = name === "kubernetes.NamedFormat" ? maxFormatLength : right.max === unbounded ? 1 : right.max;
  return { cost: either(exactly(1), scaled(exactly(size), traversalFactor)) };
}

/** What Kubernetes takes the name of a format to be at most. */
const maxFormatLength = 64;

const opaqueName = (type: CelType): string | undefined => (type.kind === "opaque" && type.parameters.length === 0 ? type.name : undefined);
