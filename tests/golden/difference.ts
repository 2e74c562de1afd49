/** Where two answers to one step differ. */
import { isArray, isObject, type Json } from "./json.ts";
import { cutMark, isCutMessage } from "./normalise.ts";
import type { Answer, Recording } from "./scenario.ts";

export interface Difference {
  /** From the root of the answer, with slashes: `/body/metadata/name`. */
  readonly field: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

export interface StepDifference {
  readonly scenario: string;
  readonly step: string;
  readonly fields: readonly Difference[];
}

/** The steps of a scenario whose answers differ, in their order. A step that has no answer, or no expected one, differs as a whole. */
export function compareRecordings(expected: Recording, actual: Recording): StepDifference[] {
  const steps = new Set([...expected.answers, ...actual.answers].map(({ step }) => step));
  const find = ({ answers }: Recording, step: string) => answers.find((answer) => answer.step === step);
  return [...steps]
    .map((step) => ({ scenario: expected.name, step, fields: compareAnswers(find(expected, step), find(actual, step)) }))
    .filter(({ fields }) => fields.length > 0);
}

/** What the expected answer calls unstable is left out. */
export function compareAnswers(expected: Answer | undefined, actual: Answer | undefined): Difference[] {
  const { unstable = [], ...wanted } = expected ?? {};
  const found = [...differencesOf(asJson(expected && wanted), asJson(actual), "")];
  return found.filter(({ field }) => !unstable.some((path) => isWithin(field, path)));
}

export const isWithin = (field: string, path: string): boolean => field === path || field.startsWith(`${path}/`);

const asJson = (answer: object | undefined): Json | undefined => answer as Json | undefined;

function* differencesOf(expected: Json | undefined, actual: Json | undefined, field: string): Iterable<Difference> {
  if (isArray(expected) && isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) yield* differencesOf(expected[i], actual[i], `${field}/${i}`);
  } else if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      yield* differencesOf(own(expected, key), own(actual, key), `${field}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  } else if (expected !== actual && !isSameLongMessage(expected, actual)) yield { field: field || "/", expected, actual };
}

/** Whether a long message is cut depends on how many digits a resourceVersion in it has. */
function isSameLongMessage(expected: Json | undefined, actual: Json | undefined): boolean {
  if (typeof expected !== "string" || typeof actual !== "string") return false;
  const start = [expected, actual].find(isCutMessage)?.slice(0, -cutMark.length);
  return start !== undefined && expected.startsWith(start) && actual.startsWith(start);
}

const own = (value: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const briefLines = 10;

/** As many lines as fields: what was expected, and what came. With `longest` some lines, each cut off there. */
export function formatDifference({ scenario, step, fields }: StepDifference, longest = Number.POSITIVE_INFINITY): string {
  const text = (value: Json | undefined): string => (value === undefined ? "nothing" : JSON.stringify(value));
  const lines = fields.map(({ field, expected, actual }) => `  ${field}: expected ${text(expected)}, got ${text(actual)}`);
  const shown = longest === Number.POSITIVE_INFINITY ? lines : lines.slice(0, briefLines);
  if (shown.length < lines.length) shown.push(`  and ${lines.length - shown.length} more`);
  return [`${scenario} "${step}":`, ...shown.map((line) => (line.length > longest ? `${line.slice(0, longest)}…` : line))].join("\n");
}
