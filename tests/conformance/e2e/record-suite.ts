/** Runs the test program, and keeps in a folder what it says and how its specs end; a second run in the folder goes on with the rest. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, createWriteStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readRecords, recordOf, skipping } from "./results.ts";
import { SpecLog, type SpecResult } from "./spec-log.ts";

export interface SuiteRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** Each result as it comes, and where things are written. */
  readonly print: (text: string) => void;
}

export interface SuiteOutcome {
  /** Those of earlier runs in the folder, too. */
  readonly results: readonly SpecResult[];
  /** Whether the suite came to its end by itself. */
  readonly hasEnded: boolean;
}

export async function recordSuite({ program, args, folder, print }: SuiteRun): Promise<SuiteOutcome> {
  const records = join(folder, "specs.txt");
  const before = resultsIn(records);
  const file = nextLogFile(folder);
  print(`${join(folder, file)} has what the suite says, ${records} how specs end\n`);
  const child = spawn(program, [...args, ...skipping(before)], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const log = createWriteStream(join(folder, file));
  const specs = new SpecLog(file);
  let ended = 0;
  const read = (line: string): void => {
    log.write(`${line}\n`);
    const result = specs.read(line);
    if (result === undefined) return;
    const record = recordOf(result, new Date());
    appendFileSync(records, record);
    print(`${++ended}/${specs.planned ?? "?"} ${record}`);
  };
  const outputs = [child.stdout, child.stderr].map((input) => createInterface({ input }).on("line", read));
  await Promise.all([child, ...outputs].map((one) => once(one, "close")));
  log.end();
  await once(log, "close");
  return { results: resultsIn(records), hasEnded: specs.hasEnded };
}

const resultsIn = (records: string): readonly SpecResult[] => (existsSync(records) ? readRecords(readFileSync(records, "utf8")) : []);

/** Those of earlier runs stay, for what failed in them. */
function nextLogFile(folder: string): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? "log.txt" : `log-${i}.txt`;
    if (!existsSync(join(folder, name))) return name;
  }
}
