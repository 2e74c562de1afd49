/**
 * When a schedule is due next. Where clocks are put forward an hour that is left out is never due, and where they are put
 * back the hour that comes twice is due twice, as with the scheduler that Kubernetes uses.
 */
import type { CronFields, CronSchedule } from "@coxswain/api";
import { utc, type Zone, zoneNamed } from "./zoned-time.ts";

const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;

/** What is not due for so long never is: the 31st of February. */
const maxYears = 5;

/** The first moment after this one, both in milliseconds since the epoch; undefined when there is none within five years. */
export function nextTime(schedule: CronSchedule, afterMs: number): number | undefined {
  const wholeMs = Math.floor(afterMs / secondMs) * secondMs;
  if (schedule.kind === "every") return wholeMs + schedule.everyMs;
  const zone = schedule.timeZone === undefined ? utc : zoneNamed(schedule.timeZone);
  return nextOfFields(schedule.fields, zone, wholeMs + secondMs);
}

/** From the largest unit to the smallest: what is not due is left for the beginning of the next. */
function nextOfFields(fields: CronFields, zone: Zone, fromMs: number): number | undefined {
  const lastYear = new Date(zone.toLocal(fromMs)).getUTCFullYear() + maxYears;
  let ms = Math.ceil(fromMs / minuteMs) * minuteMs;
  for (;;) {
    const at = new Date(zone.toLocal(ms));
    const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
    if (year > lastYear) return undefined;
    if (!fields.month.values.has(month + 1)) ms = later(ms, startOfDay(zone, Date.UTC(year, month + 1, 1)));
    else if (!isDay(fields, at)) ms = later(ms, startOfDay(zone, Date.UTC(year, month, day + 1)));
    else if (!fields.hour.values.has(at.getUTCHours())) ms += hourMs - (at.getTime() % hourMs);
    else if (!fields.minute.values.has(at.getUTCMinutes())) ms += minuteMs;
    else return ms;
  }
}

function isDay({ dayOfMonth, dayOfWeek }: CronFields, at: Date): boolean {
  const isOfMonth = dayOfMonth.values.has(at.getUTCDate());
  const isOfWeek = dayOfWeek.values.has(at.getUTCDay());
  return dayOfMonth.isAny || dayOfWeek.isAny ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}

/** Its first moment; where clocks are put forward at midnight that is later than they would show. */
function startOfDay(zone: Zone, localMs: number): number {
  const ms = zone.fromLocal(localMs);
  return ms + Math.max(0, localMs - zone.toLocal(ms));
}

/** Goes on in any case: where clocks are put back a moment may look like one before. */
const later = (ms: number, next: number): number => (next > ms ? next : ms + hourMs);
