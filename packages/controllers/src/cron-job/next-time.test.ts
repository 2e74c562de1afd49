import assert from "node:assert/strict";
import { test } from "node:test";
import { type CronField, type CronSchedule, parseSchedule } from "@coxswain/api";
import fc from "fast-check";
import { nextTime } from "./next-time.ts";
import { zoneNamed } from "./zoned-time.ts";

function parsed(text: string): CronSchedule {
  const schedule = parseSchedule(text);
  if (typeof schedule === "string") assert.fail(schedule);
  return schedule;
}

const next = (schedule: string, after: string): string | undefined => {
  const ms = nextTime(parsed(schedule), Date.parse(after));
  return ms === undefined ? undefined : new Date(ms).toISOString().replace(":00.000Z", "Z");
};

const cases = [
  ["* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01Z"],
  ["* * * * *", "2026-01-01T00:00:59.5Z", "2026-01-01T00:01Z"],
  ["*/15 * * * *", "2026-01-01T00:46:00Z", "2026-01-01T01:00Z"],
  ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00Z"],
  ["0 0 31 2 *", "2026-01-01T00:00:00Z", undefined],
  ["@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00Z"],
  ["@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00Z"],
  ["30 6-16/4 * * 1-5", "2026-01-02T14:30:00Z", "2026-01-05T06:30Z"],
  // Both kinds of days: either will do.
  ["0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00Z"],
  ["0 0 13 * *", "2026-01-01T00:00:00Z", "2026-01-13T00:00Z"],
  ["@every 90s", "2026-01-01T00:00:00.7Z", "2026-01-01T00:01:30.000Z"],
  // Clocks go from 2 to 3 o'clock on 29 March, and from 3 to 2 o'clock on 25 October.
  ["TZ=Europe/Berlin 0 12 * * *", "2026-03-28T12:00:00Z", "2026-03-29T10:00Z"],
  ["TZ=Europe/Berlin 30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-30T00:30Z"],
  ["TZ=Europe/Berlin 30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30Z"],
  ["TZ=Europe/Berlin 30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-25T01:30Z"],
  ["TZ=Asia/Kolkata 0 9 * * *", "2026-01-01T00:00:00Z", "2026-01-01T03:30Z"],
  // There was no midnight.
  ["TZ=America/Sao_Paulo 30 * 4 11 *", "2018-11-01T00:00:00Z", "2018-11-04T03:30Z"],
  ["TZ=Asia/Beirut 30 12 29 3 *", "2026-03-01T00:00:00Z", "2026-03-29T09:30Z"],
] as const;
for (const [schedule, after, expect] of cases)
  test(`"${schedule}" is due after ${after} at ${expect ?? "no time"}`, () => assert.equal(next(schedule, after), expect));

/** Looks at each minute in turn. */
function slowly({ timeZone, ...schedule }: CronSchedule, afterMs: number, days: number): number | undefined {
  if (schedule.kind === "every") return undefined;
  const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule.fields;
  const zone = zoneNamed(timeZone ?? "");
  const has = (field: CronField, value: number): boolean => field.values.has(value);
  for (let ms = Math.floor(afterMs / 60_000) * 60_000 + 60_000; ms < afterMs + days * 86_400_000; ms += 60_000) {
    const at = new Date(zone.toLocal(ms));
    if (!has(minute, at.getUTCMinutes()) || !has(hour, at.getUTCHours()) || !has(month, at.getUTCMonth() + 1)) continue;
    const byDay = [has(dayOfMonth, at.getUTCDate()), has(dayOfWeek, at.getUTCDay())];
    if (dayOfMonth.isAny || dayOfWeek.isAny ? byDay.every(Boolean) : byDay.some(Boolean)) return ms;
  }
  return undefined;
}

const field = (min: number, max: number): fc.Arbitrary<string> => {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: 20 });
  const part = fc.oneof(
    fc.constantFrom("*", "?"),
    value.map(String),
    range,
    fc.tuple(fc.oneof(fc.constant("*"), value, range), step).map(([of, by]) => `${of}/${by}`),
  );
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","));
};
const schedules = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6)).map((fields) => fields.join(" "));
const moments = fc.integer({ min: Date.parse("2020-01-01T00:00:00Z"), max: Date.parse("2035-01-01T00:00:00Z") });

test("it is due when a look at each minute finds it due", () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, after) => {
      const found = nextTime(parsed(schedule), after);
      const expected = slowly(parsed(schedule), after, 40);
      if (expected !== undefined) assert.equal(found, expected);
      else assert.ok(found === undefined || found >= after + 40 * 86_400_000 - 60_000);
    }),
    { numRuns: 200 },
  );
});

test("so it is where clocks are put forward and back", () => {
  const days = 2;
  const changes = fc.constantFrom("2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z");
  const around = fc.tuple(changes, fc.integer({ min: -86_400_000, max: 7_200_000 })).map(([change, by]) => Date.parse(change) + by);
  const zones = fc.constantFrom("Europe/Berlin", "America/New_York", "Asia/Kolkata");
  fc.assert(
    fc.property(field(0, 59), field(0, 23), zones, around, (minute, hour, zone, after) => {
      const schedule = parsed(`TZ=${zone} ${minute} ${hour} * * *`);
      assert.equal(nextTime(schedule, after), slowly(schedule, after, days));
    }),
    { numRuns: 100 },
  );
});
