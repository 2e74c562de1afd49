/** Dates, times and durations as kube-openapi takes them, more and less than RFC 3339. */
import { parseGoDuration } from "@coxswain/machinery";

const date = /^(\d{4})-(\d\d)-(\d\d)$/;

export function isDate(text: string): boolean {
  const [, year, month, day] = (date.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$/u;

/** What stands after a second T is not looked at. */
export function isDateTime(text: string): boolean {
  const [day = "", clock] = text.toLowerCase().split("t");
  const [, hours = "", minutes = "", seconds = ""] = clock === undefined ? [] : (time.exec(clock) ?? []);
  return isDate(day) && hours !== "" && hours <= "23" && minutes <= "59" && seconds <= "59";
}

const part = /(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g;
const units: ReadonlySet<string> = new Set(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const unitPrefixes = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

/** A duration of Go, or anything with a number and a unit of Scala in it: `2 days`, `about 5 seconds`. */
export function isScalaDuration(text: string): boolean {
  if (typeof parseGoDuration(text) === "number") return true;
  let found = false;
  for (const [, number = "", unit = ""] of text.matchAll(part)) {
    if (number.replace(/^0+/, "").length > 18 && BigInt(number) >= 2n ** 63n) return false;
    const lower = unit.toLowerCase();
    found ||= units.has(lower) || unitPrefixes.some((prefix) => lower.startsWith(prefix));
  }
  return found;
}
