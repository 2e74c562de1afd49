/** Times as objects contain them, and as clocks return them. */
import { formatMicroTime, formatTime, parseTime } from "./rfc3339.ts";

/** RFC 3339, in whole seconds; `ms` since the epoch. */
export const wireTime = (ms: number): string => formatTime({ seconds: Math.floor(ms / 1000), nanos: 0 }) ?? "";

/** Milliseconds since the epoch; undefined for no time, and for what is none. */
export function millisOf(time: string | null | undefined): number | undefined {
  if (time === undefined || time === null) return undefined;
  try {
    const { seconds, nanos } = parseTime(time);
    return seconds * 1000 + Math.floor(nanos / 1_000_000);
  } catch {
    return undefined;
  }
}

/** RFC 3339 with microseconds, as Leases and Events carry it; `ms` since the epoch. */
export const wireMicroTime = (ms: number): string =>
  formatMicroTime({ seconds: Math.floor(ms / 1000), nanos: Math.floor((ms % 1000) * 1_000_000) }) ?? "";
