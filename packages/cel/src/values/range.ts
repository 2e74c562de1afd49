/** The ranges of numbers and times, and the errors of leaving them. */
import { CelDuration, CelError, CelTimestamp, CelUint } from "./value.ts";

/** @throws CelError */
export function int64(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelError("integer overflow");
  return value;
}

/** @throws CelError */
export function uint64(value: bigint): CelUint {
  if (BigInt.asUintN(64, value) !== value) throw new CelError("unsigned integer overflow");
  return new CelUint(value);
}

export const nanosPerSecond = 1_000_000_000n;
/** From the year 1 to the end of the year 9999, in seconds since the epoch. */
const firstSecond = -62_135_596_800n;
const lastSecond = 253_402_300_799n;

/** @param nanos since the epoch @throws CelError */
export function timestamp(nanos: bigint): CelTimestamp {
  if (nanos < firstSecond * nanosPerSecond || nanos >= (lastSecond + 1n) * nanosPerSecond) throw new CelError("timestamp overflow");
  return new CelTimestamp(nanos);
}

/** What 64 bits of nanoseconds hold: 292 years. @throws CelError */
export const duration = (nanos: bigint): CelDuration => new CelDuration(int64(nanos));
