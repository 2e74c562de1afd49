/**
 * The five fields of a schedule, and its shorthands, with the messages of the parser that Kubernetes uses, because people
 * search for them. When a schedule is due is for whoever runs it to find out.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
 */
import { goList, goQuote, parseGoDuration } from "@coxswain/machinery";
import { timeZoneProblem } from "./time-zone.ts";

/** When a schedule is due. */
export type CronSchedule =
  /** A time is due when all fields have it; of the two kinds of days either is enough, unless one of them is any day. */
  | { readonly kind: "fields"; readonly fields: CronFields; readonly timeZone: string | undefined }
  /** Whole seconds, at least one. */
  | { readonly kind: "every"; readonly everyMs: number; readonly timeZone: string | undefined };

/** The five fields of a schedule in cron's form. */
export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  /** From 1 on. */
  readonly month: CronField;
  /** 0 is Sunday. */
  readonly dayOfWeek: CronField;
}

/** The numbers that one field of a schedule allows. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Written with `*` or `?`, and no step. */
  readonly isAny: boolean;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds = {
  minute: { min: 0, max: 59, names: [] },
  hour: { min: 0, max: 23, names: [] },
  dayOfMonth: { min: 1, max: 31, names: [] },
  month: { min: 1, max: 12, names: months },
  dayOfWeek: { min: 0, max: 6, names: days },
} satisfies Record<keyof CronFields, Bounds>;

const shorthands: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** What is wrong with the schedule; undefined when nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  const parsed = parseSchedule(schedule);
  return typeof parsed === "string" ? parsed : undefined;
}

/** A schedule, or what is wrong with it as a string. */
export function parseSchedule(schedule: string): CronSchedule | string {
  const zone = /^(?:CRON_)?TZ=([^ ]*)/.exec(schedule);
  if (zone === null) return parseWithoutZone(schedule, undefined);
  const name = zone[1] ?? "";
  if (!schedule.includes(" ")) return "runtime error: slice bounds out of range [:-1]";
  const problem = timeZoneProblem(name)[0];
  if (problem !== undefined) return `provided bad location ${name}: ${problem}`;
  return parseWithoutZone(schedule.slice(schedule.indexOf(" ")).trim(), name);
}

function parseWithoutZone(text: string, timeZone: string | undefined): CronSchedule | string {
  if (text.startsWith("@every ")) {
    const duration = parseGoDuration(text.slice("@every ".length));
    if (typeof duration === "string") return `failed to parse duration ${text}: ${duration}`;
    return { kind: "every", everyMs: Math.max(1_000, Math.floor(duration / 1_000) * 1_000), timeZone };
  }
  if (text.startsWith("@")) {
    const fields = shorthands[text];
    return fields === undefined ? `unrecognized descriptor: ${text}` : parseWithoutZone(fields, timeZone);
  }
  const parts = text.split(/\s+/u).filter((part) => part !== "");
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...more] = parts;
  if (dayOfWeek === undefined || more.length > 0) return `expected exactly 5 fields, found ${parts.length}: ${goList(parts)}`;
  const fields: Partial<Record<keyof CronFields, CronField>> = {};
  for (const [name, part = ""] of Object.entries({ minute, hour, dayOfMonth, month, dayOfWeek }) as [keyof CronFields, string][]) {
    const field = parseField(part, bounds[name]);
    if (typeof field === "string") return field;
    fields[name] = field;
  }
  // Each name has been set.
  return { kind: "fields", fields: fields as CronFields, timeZone };
}

function parseField(text: string, of: Bounds): CronField | string {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(",").filter((range) => range !== "")) {
    const range = parseRange(part, of);
    if (typeof range === "string") return range;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    isAny ||= range.isAny;
  }
  return { values, isAny };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isAny: boolean;
}

/** `*`, `5`, `1-5`, `mon-fri`, each with a step such as `/15`. A step without an end runs to the last value. */
function parseRange(range: string, of: Bounds): Range | string {
  const [ends = "", stepText, ...moreSteps] = range.split("/");
  const [low = "", high, ...moreEnds] = ends.split("-");
  const any = low === "*" || low === "?";
  const start = any ? of.min : numberOf(low, of);
  if (typeof start === "string") return start;
  if (!any && moreEnds.length > 0) return `too many hyphens: ${range}`;
  let end: number | string = any ? of.max : high === undefined ? start : numberOf(high, of);
  if (typeof end === "string") return end;
  const step = stepText === undefined ? 1 : integerOf(stepText);
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  if (typeof step === "string") return step;
  if (stepText !== undefined && high === undefined) end = of.max;
  if (start < of.min) return `beginning of range (${start}) below minimum (${of.min}): ${range}`;
  if (end > of.max) return `end of range (${end}) above maximum (${of.max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  if (step === 0) return `step of range should be a positive number: ${range}`;
  return { start, end, step, isAny: any && step === 1 };
}

function numberOf(text: string, { min, names }: Bounds): number | string {
  const named = names.indexOf(text.toLowerCase());
  return named >= 0 ? min + named : integerOf(text);
}

function integerOf(text: string): number | string {
  if (!/^[-+]?\d+$/.test(text)) return `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`;
  const number = Number(text);
  if (!Number.isSafeInteger(number)) return `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: value out of range`;
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
