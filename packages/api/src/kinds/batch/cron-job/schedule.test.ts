import assert from "node:assert/strict";
import { test } from "node:test";
import { scheduleProblem } from "./schedule.ts";
import { timeZoneProblem } from "./time-zone.ts";

const fine = ["* * * * *", "*/5 0-6,22 1,15 jan-MAR mon-fri", "0 0 ? * 0", "@hourly", "@every 1h30m", "0 3/6 * * *", "TZ=UTC 0 0 * * *"];
for (const schedule of fine) test(`"${schedule}" can be read`, () => assert.equal(scheduleProblem(schedule), undefined));

const wrong = [
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["0 * * * * *", "expected exactly 5 fields, found 6: [0 * * * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["*/5/5 * * * *", "too many slashes: */5/5"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["-5 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ["@often", "unrecognized descriptor: @often"],
  ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
  ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ["@every 5d", 'failed to parse duration @every 5d: time: unknown unit "d" in duration "5d"'],
  ["TZ=Mars/Base 0 0 * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
] as const;
for (const [schedule, problem] of wrong) test(`"${schedule}" cannot`, () => assert.equal(scheduleProblem(schedule), problem));

const zones = [
  { zone: "Europe/Berlin", problems: [] },
  { zone: "Etc/UTC", problems: [] },
  { zone: "", problems: ["timeZone must be nil or non-empty string"] },
  { zone: "Mars/Base", problems: ["unknown time zone Mars/Base"] },
  { zone: "../etc/passwd", problems: ["unknown time zone ../etc/passwd"] },
  { zone: "+05", problems: ["unknown time zone +05"] },
  { zone: "Local", problems: ["timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"] },
];
for (const { zone, problems } of zones) test(`the zone "${zone}"`, () => assert.deepEqual(timeZoneProblem(zone), problems));
