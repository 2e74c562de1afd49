/** What arithmetic and comparison are made of. Cases are by operator and types, as the checker tells them apart. */
import { sizeOf, traversal } from "../define/call-cost.ts";
import type { CelOverload } from "../environment/library.ts";
import type { CelType } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";

export function binary<A extends CelValue, B extends CelValue>(
  id: string,
  left: readonly [CelType, (value: CelValue | undefined) => A],
  right: readonly [CelType, (value: CelValue | undefined) => B],
  result: CelType,
  compute: (a: A, b: B) => CelValue,
  cost?: CelOverload["cost"],
): CelOverload {
  const call: CelOverload["call"] = ([a, b]) => compute(left[1](a), right[1](b));
  return { id, parameters: [left[0], right[0]], result, call, ...(cost && { cost }) };
}

/** Going through as much as both have to tell which comes first. */
export const shorterCost: NonNullable<CelOverload["cost"]> = ([a, b]) => traversal(Math.min(sizeOf(a), sizeOf(b)));
/** Copying both. */
export const bothCost: NonNullable<CelOverload["cost"]> = ([a, b]) => traversal(sizeOf(a) + sizeOf(b));
