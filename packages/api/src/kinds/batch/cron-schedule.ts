/**
 * The five fields of a schedule, and its shorthands. Only whether it can be read is decided here, with the messages
 * of the parser that Kubernetes uses, because people search for them.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
 */
import { goList, goQuote } from "@coxswain/machinery";
import { timeZoneProblem } from "./time-zone.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fields: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const shorthands = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/** What is wrong with the schedule; undefined when nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  const zone = /^(?:CRON_)?TZ=([^ ]*)/.exec(schedule);
  if (zone !== null) {
    const name = zone[1] ?? "";
    if (!schedule.includes(" ")) return "runtime error: slice bounds out of range [:-1]";
    const problem = timeZoneProblem(name)[0];
    if (problem !== undefined) return `provided bad location ${name}: ${problem}`;
  }
  const text = zone === null ? schedule : schedule.slice(schedule.indexOf(" ")).trim();
  if (text.startsWith("@")) return shorthandProblem(text);
  const parts = text.split(/\s+/u).filter((part) => part !== "");
  if (parts.length !== fields.length) return `expected exactly ${fields.length} fields, found ${parts.length}: ${goList(parts)}`;
  for (const [i, bounds] of fields.entries()) {
    for (const range of (parts[i] ?? "").split(",").filter((r) => r !== "")) {
      const problem = rangeProblem(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function shorthandProblem(text: string): string | undefined {
  if (shorthands.includes(text)) return undefined;
  if (!text.startsWith("@every ")) return `unrecognized descriptor: ${text}`;
  const problem = durationProblem(text.slice("@every ".length));
  return problem === undefined ? undefined : `failed to parse duration ${text}: ${problem}`;
}

/** As Go reads durations: numbers with units, such as `1h30m`. */
function durationProblem(text: string): string | undefined {
  const shown = goQuote(text);
  const unsigned = text.replace(/^[-+]/, "");
  if (unsigned === "0") return undefined;
  if (unsigned === "") return `time: invalid duration ${shown}`;
  const term = /(\d+\.?\d*|\.\d+)([^\d.]*)/y;
  while (term.lastIndex < unsigned.length) {
    const match = term.exec(unsigned);
    if (match === null) return `time: invalid duration ${shown}`;
    const unit = match[2] ?? "";
    if (unit === "") return `time: missing unit in duration ${shown}`;
    if (!["ns", "us", "µs", "μs", "ms", "s", "m", "h"].includes(unit)) return `time: unknown unit ${goQuote(unit)} in duration ${shown}`;
  }
  return undefined;
}

/** `*`, `5`, `1-5`, `mon-fri`, each with a step such as `/15`. A step without an end runs to the last value. */
function rangeProblem(range: string, bounds: Bounds): string | undefined {
  const [ends = "", stepText, ...moreSteps] = range.split("/");
  const [low = "", high, ...moreEnds] = ends.split("-");
  const any = low === "*" || low === "?";
  const start = any ? bounds.min : numberOf(low, bounds);
  if (typeof start === "string") return start;
  if (!any && moreEnds.length > 0) return `too many hyphens: ${range}`;
  let end: number | string = any ? bounds.max : high === undefined ? start : numberOf(high, bounds);
  if (typeof end === "string") return end;
  const step = stepText === undefined ? 1 : integerOf(stepText);
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  if (typeof step === "string") return step;
  if (stepText !== undefined && high === undefined) end = bounds.max;
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${range}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined;
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
