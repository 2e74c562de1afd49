/** Time zones, by their names in the IANA database or as `+02:00`. */
import { CelError } from "../values/value.ts";

/** What to add to a time since the epoch, in milliseconds, to have the zone's time as if it were UTC. */
export type ZoneOffset = (milliseconds: number) => number;

/** @throws CelError for a zone that there is not */
export function offsetOf(zone: string): ZoneOffset {
  if (zone === "" || zone === "UTC" || zone === "Local") return () => 0;
  const colon = zone.indexOf(":");
  if (colon >= 0) return fixed(zone, colon);
  const format = formatter(zone);
  let known: { readonly quarter: number; readonly offset: number } | undefined;
  return (milliseconds) => {
    const quarter = Math.floor(milliseconds / quarterHour);
    if (known?.quarter !== quarter) known = { quarter, offset: wallClock(format, quarter * quarterHour) - quarter * quarterHour };
    return known.offset;
  };
}

/** Zones change their offsets only at quarters of an hour. Milliseconds. */
const quarterHour = 900_000;

/** As cel-go has it: the minutes go the way that the hours go. */
function fixed(zone: string, colon: number): ZoneOffset {
  const [hours, minutes] = [toInt(zone.slice(0, colon)), toInt(zone.slice(colon + 1))];
  const offset = (hours < 0 ? hours * 60 - minutes : hours * 60 + minutes) * 60_000;
  return () => offset;
}

function toInt(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-u-ca-iso8601-nu-latn", {
      timeZone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    throw new CelError(`unknown time zone ${timeZone}`);
  }
}

/** To the second. */
function wallClock(format: Intl.DateTimeFormat, milliseconds: number): number {
  const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const date = new Date(0);
  date.setUTCFullYear(part("year"), part("month") - 1, part("day"));
  return date.setUTCHours(part("hour"), part("minute"), part("second"));
}
