/** Values as `string(…)` makes them. */
import { formatGoFloat } from "../values/number-text.ts";
import { formatDuration, formatTimestamp } from "../values/time-text.ts";
import { CelDuration, CelTimestamp, CelTypeValue, CelUint, type CelValue } from "../values/value.ts";

/** Undefined for what has no such text. @throws TypeError for bytes that are no UTF-8 */
export function textOf(value: CelValue): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatGoFloat(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelDuration) return formatDuration(value.nanos);
  if (value instanceof CelTimestamp) return formatTimestamp(value.nanos);
  return value instanceof Uint8Array ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value) : undefined;
}
