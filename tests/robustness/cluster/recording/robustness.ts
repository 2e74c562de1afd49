/**
 * `npm run robustness -- --on=LAYOUT --runs=N`: records histories of real processes under faults and checks them. The same seed has the
 * same faults and chooses the same operations; what comes of them is for the machine to decide.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { historyToLines } from "../history.ts";
import { type Layout, layouts, startCluster, whyNot } from "./cluster.ts";
import { runRound } from "./round.ts";
import { Summary } from "./summary.ts";

const { values } = parseArgs({
  options: {
    on: { type: "string", default: "embedded" },
    runs: { type: "string", default: "100" },
    parallel: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    /** Where histories with violations are written. */
    keep: { type: "string", default: "robustness-failures" },
  },
});

const layout = layoutOf(values.on);
const [runs, parallel, seed] = [values.runs, values.parallel, values.seed].map(numberOf) as [number, number, number];
const missing = whyNot(layout);
if (missing !== undefined) throw new Error(missing);

await using cluster = await startCluster({ layout, etcdFlags: ["--unsafe-no-fsync=true"] });
const summary = new Summary();
for (let round = seed; summary.runs < runs; round++) {
  const started = performance.now();
  const result = await runRound({ seed: round, cluster, runs: Math.min(parallel, runs - summary.runs) });
  summary.add(result);
  const faults = result.faults.map(({ fault }) => fault.kind).join(", ");
  console.log(`seed ${round}: ${faults}; ${summary.runs} runs, ${Math.round(performance.now() - started)} ms`);
  for (const { namespace, history, violations } of result.runs) {
    if (violations.length === 0) continue;
    mkdirSync(values.keep, { recursive: true });
    const file = join(values.keep, `${layout}-${namespace}.jsonl`);
    writeFileSync(file, historyToLines(history));
    console.log(`${violations.length} violations, history in ${file}, faults ${JSON.stringify(result.faults)}`);
    for (const { name, message } of violations.slice(0, 10)) console.log(`  ${name}: ${message}`);
  }
}
console.log(String(summary));
process.exitCode = summary.violations > 0 ? 1 : 0;

function layoutOf(text: string): Layout {
  const found = layouts.find((one) => one === text);
  if (found === undefined) throw new Error(`--on: ${layouts.join(", ")}`);
  return found;
}

function numberOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text);
}
