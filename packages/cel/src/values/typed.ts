/**
 * Values as what a signature promises. The checker cannot promise what is inside `dyn`, so that a value of
 * another type is an error of the evaluation.
 */
import { CelError, CelUint, type CelValue } from "./value.ts";

export const noSuchOverload = (): CelError => new CelError("no such overload");

export function asInt(value: CelValue | undefined): bigint {
  if (typeof value !== "bigint") throw noSuchOverload();
  return value;
}

export function asUint(value: CelValue | undefined): bigint {
  if (!(value instanceof CelUint)) throw noSuchOverload();
  return value.value;
}

export function asDouble(value: CelValue | undefined): number {
  if (typeof value !== "number") throw noSuchOverload();
  return value;
}

export function asString(value: CelValue | undefined): string {
  if (typeof value !== "string") throw noSuchOverload();
  return value;
}

export function asBytes(value: CelValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw noSuchOverload();
  return value;
}

/** A value of a class, such as `CelList`. */
export const asInstance =
  <T extends CelValue>(type: abstract new (...parameters: never[]) => T) =>
  (value: CelValue | undefined): T => {
    if (!(value instanceof type)) throw noSuchOverload();
    return value;
  };

export function asBool(value: CelValue | undefined): boolean {
  if (typeof value !== "boolean") throw noSuchOverload();
  return value;
}
