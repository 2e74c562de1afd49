/** Results of specs as lines of a file, which tells what has passed also where a run was cut off, and as a summary. */
import type { SpecResult } from "./spec-log.ts";

/** What is written as soon as a spec has ended; the lines of why it failed are indented. */
export function recordOf({ name, passed, seconds, message, place }: SpecResult, endedAt: Date): string {
  const time = endedAt.toISOString().replace(/\.\d+Z$/, "Z");
  const first = `${time} ${passed ? "passed" : "failed"} after ${seconds.toFixed(1)} s: ${name}\n`;
  return passed ? first : `${first}  ${message}\n  ${place}\n`;
}

/** The last result of each spec. A line that was being written when the run was cut off is left out. */
export function readRecords(text: string): readonly SpecResult[] {
  const results = new Map<string, SpecResult>();
  for (const [, outcome, seconds, name = "", why = ""] of text.matchAll(/^\S+ (passed|failed) after ([\d.]+) s: (.+)\n((?: {2}.*\n)*)/gm)) {
    const [message = "", place = ""] = why.split("\n").map((line) => line.slice(2));
    results.set(name, { name, passed: outcome === "passed", seconds: Number(seconds), message, place });
  }
  return [...results.values()];
}

/** Arguments for the test program that leave out what has passed already. */
export const skipping = (results: readonly SpecResult[]): readonly string[] =>
  results.flatMap(({ name, passed }) => (passed ? `--ginkgo.skip=${escaped(name)}\\s*$` : []));

const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/ +/g, "\\s+");

/** For people, by group: how many have passed, and what failed, why and where. */
export function summary(results: readonly SpecResult[]): string {
  const groups = Map.groupBy(results, ({ name }) => /^\[(sig-[\w-]+)\]/.exec(name)?.[1] ?? "others");
  const lines = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([group, specs]) => groupLines(group, specs));
  return [...lines, `${results.filter(({ passed }) => passed).length} of ${results.length} specs passed`].join("\n");
}

function groupLines(group: string, specs: readonly SpecResult[]): string[] {
  const failed = specs.filter(({ passed }) => !passed);
  const why = failed.flatMap(({ name, seconds, message, place }) => [
    `  failed after ${Math.round(seconds)} s: ${name}`,
    `    ${message}`,
    `    ${place}`,
  ]);
  return [`${group}: ${specs.length - failed.length} of ${specs.length} passed`, ...why];
}
