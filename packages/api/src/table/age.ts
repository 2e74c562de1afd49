/** Ages and durations as Kubernetes prints them in Table cells: two units at most, fewer the longer it lasts. */

interface Unit {
  readonly name: string;
  readonly seconds: number;
}

const second: Unit = { name: "s", seconds: 1 };
const minute: Unit = { name: "m", seconds: 60 };
const hour: Unit = { name: "h", seconds: 3_600 };
const day: Unit = { name: "d", seconds: 86_400 };
const year: Unit = { name: "y", seconds: 365 * 86_400 };

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
  if (seconds < 2 * minute.seconds) return `${seconds}s`;
  if (seconds < 10 * minute.seconds) return twoUnits(seconds, minute, second);
  if (seconds < 3 * hour.seconds) return `${Math.floor(seconds / minute.seconds)}m`;
  if (seconds < 8 * hour.seconds) return twoUnits(seconds, hour, minute);
  if (seconds < 2 * day.seconds) return `${Math.floor(seconds / hour.seconds)}h`;
  if (seconds < 8 * day.seconds) return twoUnits(seconds, day, hour);
  if (seconds < 2 * year.seconds) return `${Math.floor(seconds / day.seconds)}d`;
  if (seconds < 8 * year.seconds) return twoUnits(seconds, year, day);
  return `${Math.floor(seconds / year.seconds)}y`;
}

function twoUnits(seconds: number, large: Unit, small: Unit): string {
  const rest = Math.floor((seconds % large.seconds) / small.seconds);
  const head = `${Math.floor(seconds / large.seconds)}${large.name}`;
  return rest === 0 ? head : `${head}${rest}${small.name}`;
}
