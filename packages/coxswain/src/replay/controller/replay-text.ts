/** What `coxswain replay --against` prints: the writes side by side, and what came of it. */
import { stringifyJson } from "@coxswain/machinery";
import { editedField, isOfServer } from "./object-edits.ts";
import { writerOf } from "./outcome.ts";
import type { ReplayResult, ReplayStep } from "./run-against.ts";

/** Fields of one write that are shown. */
const maxFields = 4;
/** Characters of a value. */
const maxValue = 40;

const signs = { others: " ", recorded: "-", now: "+", both: "=" } as const;

export function replayText({ recording, controller, steps, outcome, failures }: ReplayResult): string {
  const begun = Date.parse(recording.from.time);
  // What others wrote matters where the controller writes, too.
  const keys = new Set(steps.filter(({ who }) => who !== "others").map(({ write }) => write.key));
  const shown = steps.filter(({ write }) => keys.has(write.key));
  const left = steps.length - shown.length;
  const count = (...kinds: readonly ReplayStep["who"][]): number => steps.filter(({ who }) => kinds.includes(who)).length;
  return [
    `${recording.reason}, from ${recording.from.time} on`,
    ...(recording.failure === undefined ? [] : [`What went wrong: ${recording.failure.message}`]),
    `  others, written again   - ${controller.user} as recorded   + ${controller.user} now   = both`,
    "",
    ...shown.map((step) => lineOf(step, begun)),
    ...(left === 0 ? [] : [`  and ${left} writes of others to other objects`]),
    ...failures,
    "",
    `recorded: ${count("recorded", "both")} writes of ${controller.user}; now: ${count("now", "both")}`,
    `${outcome.cameAgain ? "It came again" : "It did not come again"}: ${outcome.why}.`,
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function lineOf({ time, who, write, skipped }: ReplayStep, begun: number): string {
  const { operation, ref, by } = write;
  const { group, resource, namespace, name } = ref;
  const object = `${resource}${group === "" ? "" : `.${group}`} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  const writer = who === "others" ? `, by ${writerOf(by) || "somebody"}` : "";
  const why = skipped === undefined ? "" : ` (${skipped})`;
  return `${signs[who]} ${secondsOf(time - begun)} ${operation} ${object}${fieldsOf(write)}${writer}${why}`;
}

const secondsOf = (ms: number): string => `${(ms / 1000).toFixed(3)}s`.padStart(10);

function fieldsOf({ operation, edits }: ReplayStep["write"]): string {
  if (operation !== "update") return "";
  const meant = edits.filter((edit) => !isOfServer(edit));
  const shown = meant.slice(0, maxFields).map((edit) => `${editedField(edit)} ${shownValue(edit.from)} → ${shownValue(edit.to)}`);
  const more = meant.length > maxFields ? [`and ${meant.length - maxFields} more`] : [];
  return meant.length === 0 ? "" : `: ${[...shown, ...more].join(", ")}`;
}

function shownValue(value: unknown): string {
  if (value === undefined) return "none";
  const text = stringifyJson(value);
  return text.length > maxValue ? `${text.slice(0, maxValue - 1)}…` : text;
}
