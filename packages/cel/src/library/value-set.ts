import { mapKey } from "../values/collections.ts";
import { equalValues } from "../values/equality.ts";
import type { CelValue } from "../values/value.ts";

/** Values without their equals. Strings, numbers and booleans are found at once, others by comparing. */
export class ValueSet {
  readonly #keys = new Set<CelValue>();
  readonly #others: CelValue[] = [];

  constructor(values: Iterable<CelValue> = []) {
    for (const value of values) this.add(value);
  }

  has(value: CelValue): boolean {
    const key = keyOf(value);
    return key === undefined ? this.#others.some((other) => equalValues(value, other)) : this.#keys.has(key);
  }

  /** False when an equal value was there. */
  add(value: CelValue): boolean {
    if (this.has(value)) return false;
    const key = keyOf(value);
    if (key === undefined) this.#others.push(value);
    else this.#keys.add(key);
    return true;
  }
}

/** NaN is not even equal to itself. */
function keyOf(value: CelValue): CelValue | undefined {
  return mapKey(value) ?? (typeof value === "number" && !Number.isNaN(value) ? value : undefined);
}
