/** Values as `string(…)` makes them. */
import { formatGoFloat } from "../standard/number-text.ts";
import { CelDuration, CelTimestamp, CelTypeValue, CelUint, type CelValue } from "../value.ts";

/** Undefined for what has no such text. */
export function textOf(value: CelValue): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatGoFloat(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelDuration) return `${Number(value.nanos) / 1e9}s`;
  if (value instanceof CelTimestamp) return new Date(Number(value.nanos / 1_000_000n)).toISOString().replace(".000Z", "Z");
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined;
}
