/** The differences that are accepted: lines of docs/compat.md, each with its reason. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin, type StepDifference } from "./difference.ts";

/** One line of the first table of docs/compat.md. */
export interface AcceptedDifference {
  readonly scenario: string;
  readonly step: string;
  /** Those that differ, or what they are in: `/body/message`. */
  readonly fields: readonly string[];
}

const compatFile = join(import.meta.dirname, "../../docs/compat.md");

export const readAccepted = (): AcceptedDifference[] => parseAccepted(readFileSync(compatFile, "utf8"));

/** @throws Error for a line of the table without a reason */
export function parseAccepted(document: string): AcceptedDifference[] {
  const [, section = ""] = document.split("\n## Recorded requests whose answers differ\n");
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) => {
    const [, scenario = "", step = "", fields = "", reason = ""] = row.split("|").map((cell) => cell.trim());
    if (reason === "") throw new Error(`a difference needs its reason: ${row}`);
    return { scenario: unquoted(scenario), step: unquoted(step), fields: fields.split(", ").map(unquoted) };
  });
}

const unquoted = (text: string): string => text.replace(/^`|`$/g, "");

/** The steps with a field that no line names. */
export function unaccepted(differences: readonly StepDifference[], accepted: readonly AcceptedDifference[]): StepDifference[] {
  return differences.filter(({ scenario, step, fields }) => {
    const paths = accepted.filter((line) => line.scenario === scenario && line.step === step).flatMap((line) => line.fields);
    return fields.some(({ field }) => !paths.some((path) => isWithin(field, path)));
  });
}

/** Lines that name a difference which is not there: it was mended, or the line is mistaken. */
export function staleLines(differences: readonly StepDifference[], accepted: readonly AcceptedDifference[]): string[] {
  return accepted.flatMap(({ scenario, step, fields }) => {
    const found = differences.find((one) => one.scenario === scenario && one.step === step)?.fields ?? [];
    const stale = fields.filter((path) => !found.some(({ field }) => isWithin(field, path)));
    return stale.map((path) => `${scenario} "${step}" ${path}`);
  });
}
