/**
 * Arguments as the values that a signature promises. The checker cannot promise what is inside `dyn`,
 * so that a value of another type is an error of the evaluation.
 */
import { CelError, CelList, type CelValue } from "../value.ts";

export const noSuchOverload = (): CelError => new CelError("no such overload");

export function stringAt(args: readonly CelValue[], index: number): string {
  const value = args[index];
  if (typeof value !== "string") throw noSuchOverload();
  return value;
}

export function intAt(args: readonly CelValue[], index: number): bigint {
  const value = args[index];
  if (typeof value !== "bigint") throw noSuchOverload();
  return value;
}

export function boolAt(args: readonly CelValue[], index: number): boolean {
  const value = args[index];
  if (typeof value !== "boolean") throw noSuchOverload();
  return value;
}

export function listAt(args: readonly CelValue[], index: number): CelList {
  const value = args[index];
  if (!(value instanceof CelList)) throw noSuchOverload();
  return value;
}

/** For the classes of a library: `instanceAt(QuantityValue, args, 0)`. */
export function instanceAt<T extends CelValue>(
  type: abstract new (...parameters: never[]) => T,
  args: readonly CelValue[],
  index: number,
): T {
  const value = args[index];
  if (!(value instanceof type)) throw noSuchOverload();
  return value;
}
