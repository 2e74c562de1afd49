/** Which of two values comes first. */
import { CelDuration, CelError, CelTimestamp, CelUint, type CelValue } from "./value.ts";

/**
 * Negative, zero or positive.
 * @throws CelError for values that have no order among each other, and for NaN
 */
export function compareValues(a: CelValue, b: CelValue): number {
  const left = a instanceof CelUint ? a.value : a;
  const right = b instanceof CelUint ? b.value : b;
  if (typeof left === "bigint" && typeof right === "bigint") return compare(left, right);
  if (isNumber(left) && isNumber(right)) return compareNumbers(Number(left), Number(right));
  if (typeof left === "string" && typeof right === "string") return compareStrings(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (left instanceof CelTimestamp && right instanceof CelTimestamp) return compare(left.nanos, right.nanos);
  if (left instanceof CelDuration && right instanceof CelDuration) return compare(left.nanos, right.nanos);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  throw new CelError("no such overload");
}

const isNumber = (value: CelValue): value is number | bigint => typeof value === "number" || typeof value === "bigint";

function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) throw new CelError("NaN values cannot be ordered");
  return compare(a, b);
}

const compare = <T extends bigint | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** By code points, as UTF-8 sorts, where JavaScript goes by UTF-16 units. */
function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000;

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
