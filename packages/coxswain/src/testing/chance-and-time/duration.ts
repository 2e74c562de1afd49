/** How much time is to pass. */
import { parseGoDuration } from "@coxswain/machinery";
import { type OptionNames, show, validateOptions } from "../validation/options.ts";

/** Parts that are added up. */
export interface DurationParts {
  readonly ms?: number;
  readonly seconds?: number;
  readonly minutes?: number;
  readonly hours?: number;
  readonly days?: number;
}

/**
 * `{ minutes: 5 }`, or as Kubernetes writes durations: `5m`, `1h30m`, `1.5s`.
 * @see https://pkg.go.dev/time#ParseDuration
 */
export type Duration = string | DurationParts;

const parts: OptionNames<DurationParts> = { ms: true, seconds: true, minutes: true, hours: true, days: true };
const taken = `a duration is { minutes: 5 }, of ${Object.keys(parts).join(", ")}, or a string as Kubernetes writes it: "5m", "1h30m"`;

/** @throws TypeError for anything else, and for time that would run backwards */
export function millisecondsOf(duration: Duration): number {
  const ms = typeof duration === "string" ? parsed(duration) : sumOf(duration);
  if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) throw new TypeError(`time does not pass by ${show(duration)}: ${taken}`);
  return ms;
}

function parsed(text: string): number {
  const ms = parseGoDuration(text);
  if (typeof ms === "string") throw new TypeError(`${ms}; ${taken}`);
  return ms;
}

function sumOf(duration: DurationParts): number {
  if (typeof duration !== "object" || duration === null) throw new TypeError(`${show(duration)} is no duration; ${taken}`);
  validateOptions("a duration", duration, parts);
  const given = Object.values(duration).filter((value) => value !== undefined);
  if (given.length === 0 || !given.every((value) => typeof value === "number"))
    throw new TypeError(`${show(duration)} is no duration; ${taken}`);
  const { ms = 0, seconds = 0, minutes = 0, hours = 0, days = 0 } = duration;
  return ms + 1000 * (seconds + 60 * (minutes + 60 * (hours + 24 * days)));
}
