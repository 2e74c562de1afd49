/** The differences that are accepted: lines of docs/compat.md with a reason, and those that are still to be mended. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin, type StepDifference } from "./difference.ts";

/** One line of the first table of docs/compat.md. */
export interface AcceptedDifference {
  readonly scenario: string;
  readonly step: string;
  /** Those that differ, or what they are in: `/body/message`. */
  readonly fields: readonly string[];
}

/** Steps by their scenarios. */
export type OpenDifferences = Readonly<Record<string, readonly string[]>>;

const compatFile = join(import.meta.dirname, "../../docs/compat.md");
const openFile = join(import.meta.dirname, "open-differences.json");

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

export const readOpen = (): OpenDifferences => (existsSync(openFile) ? JSON.parse(readFileSync(openFile, "utf8")) : {});

/** A line for each step, so that changes of several people seldom meet in one. */
export function writeOpen(open: OpenDifferences): void {
  if (Object.keys(open).length === 0) rmSync(openFile, { force: true });
  else writeFileSync(openFile, `${JSON.stringify(open, null, 1)}\n`);
}

/** What is not accepted, as it is kept in the file. */
export function openOf(differences: readonly StepDifference[], accepted: readonly AcceptedDifference[]): OpenDifferences {
  const open: Record<string, string[]> = {};
  for (const { scenario, step, fields } of differences) {
    const lines = accepted.filter((line) => line.scenario === scenario && line.step === step).flatMap((line) => line.fields);
    if (fields.every(({ field }) => lines.some((path) => isWithin(field, path)))) continue;
    open[scenario] = [...(open[scenario] ?? []), step];
  }
  return open;
}

/** Lines that name a difference which is not there: it was mended, or the line is mistaken. */
export function staleLines(differences: readonly StepDifference[], accepted: readonly AcceptedDifference[]): string[] {
  return accepted.flatMap(({ scenario, step, fields }) => {
    const found = differences.find((one) => one.scenario === scenario && one.step === step)?.fields ?? [];
    const stale = fields.filter((path) => !found.some(({ field }) => isWithin(field, path)));
    return stale.map((path) => `${scenario} "${step}" ${path}`);
  });
}
