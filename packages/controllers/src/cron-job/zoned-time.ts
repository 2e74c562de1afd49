/** Moments as the clocks of a place show them, and back. */

/** Of one place; moments are milliseconds since the epoch. */
export interface Zone {
  /** What its clocks show, as if it were UTC: the UTC fields of this are the local ones. */
  toLocal(ms: number): number;
  /** The moment when its clocks show this. Of an hour that they show twice or never it is one beside the change. */
  fromLocal(localMs: number): number;
}

export const utc: Zone = { toLocal: (ms) => ms, fromLocal: (localMs) => localMs };

/** @throws RangeError for a name that no place has */
export const zoneNamed = (name: string): Zone => (name === "" || name === "UTC" ? utc : makeZone(name));

function makeZone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    era: "short",
  });
  const offsetAt = (ms: number): number => {
    const wholeMs = Math.floor(ms / 1000) * 1000;
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (format.format(wholeMs).match(/\d+/g) ?? []).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeMs;
  };
  return {
    toLocal: (ms) => ms + offsetAt(ms),
    fromLocal: (localMs) => {
      const offset = offsetAt(localMs);
      const guess = localMs - offset;
      return offset === 0 ? guess : localMs - offsetAt(guess);
    },
  };
}
