/** What arithmetic and comparison are made of. Cases are by operator and types, as the checker distinguishes them. */
import { sizeOf, traversal } from "../define/call-cost.ts";
import { plain } from "../define/declare.ts";
import type { CelOverload } from "../environment/library.ts";
import type { CelType } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";

type Operand<T extends CelValue> = readonly [CelType, (value: CelValue | undefined) => T];

export function binary<A extends CelValue, B extends CelValue>(
  id: string,
  [[leftType, asLeft], [rightType, asRight]]: readonly [Operand<A>, Operand<B>],
  result: CelType,
  compute: (a: A, b: B) => CelValue,
): CelOverload {
  return plain(id, [leftType, rightType], result, ([a, b]) => compute(asLeft(a), asRight(b)));
}

/** Comparing reads as much as both have. */
export const shorterCost: NonNullable<CelOverload["cost"]> = ([a, b]) => traversal(Math.min(sizeOf(a), sizeOf(b)));
/** Copying both. */
export const bothCost: NonNullable<CelOverload["cost"]> = ([a, b]) => traversal(sizeOf(a) + sizeOf(b));
