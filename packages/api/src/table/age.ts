/** Ages and durations as Kubernetes prints them in Table cells: two units at most, fewer the longer it lasts. */

const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;
const daySeconds = 24 * hourSeconds;
const yearSeconds = 365 * daySeconds;

/**
 * How long ago an RFC 3339 time was; both in the server's clock.
 * @returns `<unknown>` without a time, `<invalid>` for one more than a second ahead of `now` (milliseconds since the epoch)
 */
export function ageCell(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === "") return "<unknown>";
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? "<unknown>" : humanDuration(now - then);
}

/** A duration in milliseconds, rounded down: `119s`, `2m3s`, `5h12m`, `3d4h`, `2y35d`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * minuteSeconds) return `${seconds}s`;
  if (seconds < 10 * minuteSeconds) return twoUnits(seconds, minuteSeconds, "m", 1, "s");
  if (seconds < 3 * hourSeconds) return `${Math.floor(seconds / minuteSeconds)}m`;
  if (seconds < 8 * hourSeconds) return twoUnits(seconds, hourSeconds, "h", minuteSeconds, "m");
  if (seconds < 2 * daySeconds) return `${Math.floor(seconds / hourSeconds)}h`;
  if (seconds < 8 * daySeconds) return twoUnits(seconds, daySeconds, "d", hourSeconds, "h");
  if (seconds < 2 * yearSeconds) return `${Math.floor(seconds / daySeconds)}d`;
  if (seconds < 8 * yearSeconds) return twoUnits(seconds, yearSeconds, "y", daySeconds, "d");
  return `${Math.floor(seconds / yearSeconds)}y`;
}

function twoUnits(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small);
  const head = `${Math.floor(seconds / large)}${largeName}`;
  return rest === 0 ? head : `${head}${rest}${smallName}`;
}
