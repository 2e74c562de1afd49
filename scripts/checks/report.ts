/** Says what a check found beyond what was known when its rule came, and sets the exit code. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareKnown, countBy, type Finding, type KnownFindings, placeOf } from "./findings.ts";
import { root } from "./tree.ts";

/**
 * Known findings stand in `scripts/checks/known/<check>.json`, as counts by rule and package. Options of the command line:
 * `--package NAME` shows all findings of a package (or of `tests`, `scripts`), known or not, and passes; `--record` writes the
 * counts of now, for when files have moved to another package.
 */
export function report(check: string, findings: readonly Finding[]): void {
  const { values } = parseArgs({ options: { package: { type: "string" }, record: { type: "boolean" } } });
  const path = join(root, "scripts/checks/known", `${check}.json`);
  const found = countBy(findings, keyOf);
  if (values.record === true) {
    writeFileSync(path, `${JSON.stringify(Object.fromEntries([...found].sort()), null, 2)}\n`);
  } else if (values.package !== undefined) {
    for (const finding of findings) if (placeOf(finding.file) === values.package) console.log(show(finding));
  } else {
    compare(check, findings, compareKnown(existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as KnownFindings) : {}, found));
  }
}

const keyOf = ({ rule, file }: Finding): string => `${rule} ${placeOf(file)}`;

const show = ({ file, line, rule, message }: Finding): string => `${file}:${line}: ${rule}: ${message}`;

function compare(check: string, findings: readonly Finding[], { more, fewer }: ReturnType<typeof compareKnown>): void {
  for (const { place, known, found } of more) {
    for (const finding of findings) if (keyOf(finding) === place) console.error(show(finding));
    console.error(`${place}: ${found} findings; scripts/checks/known/${check}.json knows ${known}`);
    process.exitCode = 1;
  }
  for (const { place, known, found } of fewer) {
    console.log(`${place}: lower the number in scripts/checks/known/${check}.json from ${known} to ${found}`);
  }
}
