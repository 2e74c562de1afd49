/** The parts of times and durations. */
import { functionsOf, method } from "../define/declare.ts";
import type { CelOverload } from "../environment/library.ts";
import { durationType, intType, stringType, timestampType } from "../types/type.ts";
import { nanosPerSecond } from "../values/range.ts";
import { floorDivide } from "../values/time-text.ts";
import { asInstance, asString } from "../values/typed.ts";
import { CelDuration, CelTimestamp, type CelValue } from "../values/value.ts";
import { offsetOf, type ZoneOffset } from "./time-zone.ts";

const asTime = asInstance(CelTimestamp);
const asSpan = asInstance(CelDuration);

export const time = functionsOf({
  getFullYear: part("timestamp_to_year", (date) => date.getUTCFullYear()),
  getMonth: part("timestamp_to_month", (date) => date.getUTCMonth()),
  getDayOfYear: part("timestamp_to_day_of_year", dayOfYear),
  getDate: part("timestamp_to_day_of_month_1_based", (date) => date.getUTCDate()),
  getDayOfMonth: part("timestamp_to_day_of_month", (date) => date.getUTCDate() - 1),
  getDayOfWeek: part("timestamp_to_day_of_week", (date) => date.getUTCDay()),
  getHours: [...part("timestamp_to_hours", (date) => date.getUTCHours()), whole("duration_to_hours", 3600n * nanosPerSecond)],
  getMinutes: [...part("timestamp_to_minutes", (date) => date.getUTCMinutes()), whole("duration_to_minutes", 60n * nanosPerSecond)],
  getSeconds: [...part("timestamp_to_seconds", (date) => date.getUTCSeconds()), whole("duration_to_seconds", nanosPerSecond)],
  getMilliseconds: [
    ...part("timestamp_to_milliseconds", (date) => date.getUTCMilliseconds()),
    whole("duration_to_milliseconds", 1_000_000n),
  ],
});

/** In UTC, and in a zone by its name or its distance from UTC. @param read from a date whose UTC is the zone's time */
function part(id: string, read: (date: Date) => number): readonly CelOverload[] {
  const inZone = (value: CelValue | undefined, zone: ZoneOffset): bigint => {
    const milliseconds = Number(floorDivide(asTime(value).nanos, 1_000_000n));
    return BigInt(read(new Date(milliseconds + zone(milliseconds))));
  };
  return [
    method(id, [timestampType], intType, ([value]) => inZone(value, () => 0)),
    {
      ...method(`${id}_with_tz`, [timestampType, stringType], intType, ([value, zone]) => inZone(value, offsetOf(asString(zone)))),
      prepare: ([, zone]) => {
        if (typeof zone !== "string") return undefined;
        let known: ZoneOffset | undefined;
        return ([value]) => {
          known ??= offsetOf(zone);
          return inZone(value, known);
        };
      },
    },
  ];
}

/** How many whole units a duration has. */
function whole(id: string, unit: bigint): CelOverload {
  return method(id, [durationType], intType, ([value]) => asSpan(value).nanos / unit);
}

function dayOfYear(date: Date): number {
  const midnight = (year: number, month: number, day: number) => new Date(0).setUTCFullYear(year, month, day);
  const year = date.getUTCFullYear();
  return Math.round((midnight(year, date.getUTCMonth(), date.getUTCDate()) - midnight(year, 0, 1)) / 86_400_000);
}
