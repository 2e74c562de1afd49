/**
 * `npm run robustness -- --on=LAYOUT --runs=N`: records histories of real processes under faults and checks them. The same seed has the
 * same faults and chooses the same operations; what comes of them is for the machine to decide. `--kills=N --of=server|etcd` kills so
 * often in a row, and looks for what was acknowledged; `--check=FILE` checks a history that was written before.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkHistory } from "../check-history.ts";
import { type History, historyFromLines, historyToLines, type Violation } from "../history.ts";
import { type Cluster, type Layout, layouts, startCluster, whyNot } from "./cluster.ts";
import { killAndCount } from "./kills.ts";
import { runRound } from "./round.ts";
import { Summary } from "./summary.ts";

const { values } = parseArgs({
  options: {
    on: { type: "string", default: "embedded" },
    runs: { type: "string", default: "100" },
    /** Runs at the same time, in namespaces of their own, under the same faults. */
    parallel: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    kills: { type: "string" },
    of: { type: "string", default: "server" },
    /** A folder on a small file system of its own, which is filled: for the embedded store, or one member of etcd. */
    disk: { type: "string" },
    /** Fills etcd up to its quota of so many bytes. */
    quota: { type: "string" },
    check: { type: "string" },
    /** Where histories with violations are written. */
    keep: { type: "string", default: "robustness-failures" },
  },
});

const [runs, parallel, seed] = [values.runs, values.parallel, values.seed].map(numberOf) as [number, number, number];
if (values.check !== undefined) report(values.check, checkHistory(historyFromLines(readFileSync(values.check, "utf8"))));
else
  await record(layoutOf(values.on)).catch((error: unknown) => {
    // With the one that it hides, of what was ended after it.
    console.error(error instanceof SuppressedError ? [error.error, error.suppressed] : error);
    process.exitCode = 1;
  });

async function record(layout: Layout): Promise<void> {
  const missing = whyNot(layout);
  if (missing !== undefined) throw new Error(missing);
  const { disk, quota } = values;
  await using cluster = await startCluster({
    layout,
    ...(disk === undefined ? {} : { disk }),
    ...(quota === undefined ? {} : { quotaBytes: numberOf(quota) }),
  });
  if (values.kills === undefined) await recordRuns(cluster);
  else await recordKills(cluster, numberOf(values.kills));
}

async function recordRuns(cluster: Cluster): Promise<void> {
  const summary = new Summary();
  for (let round = seed; summary.runs < runs; round++) {
    const started = performance.now();
    const result = await runRound({ seed: round, cluster, runs: Math.min(parallel, runs - summary.runs) });
    summary.add(result);
    const faults = result.faults.map(({ fault }) => fault.kind).join(", ");
    console.log(`seed ${round}: ${faults}; ${summary.runs} runs, ${Math.round(performance.now() - started)} ms`);
    for (const { namespace, history, violations } of result.runs) {
      if (violations.length > 0) console.log(`faults of ${namespace}: ${JSON.stringify(result.faults)}`);
      keep(`${cluster.layout}-${namespace}`, history, violations);
    }
  }
  console.log(String(summary));
  for (const { name, process } of [...cluster.servers, ...cluster.members])
    if (process.failures > 0) console.log(`${name} has ended by itself, ${process.failures} times`);
}

async function recordKills(cluster: Cluster, kills: number): Promise<void> {
  const of = values.of === "etcd" ? "etcd" : "server";
  const { acknowledged, history, violations } = await killAndCount({ seed, cluster, of, kills });
  console.log(`${kills} kills of ${of}: ${acknowledged} writes acknowledged, ${violations.length} violations`);
  keep(`${cluster.layout}-kills-of-${of}-${seed}`, history, violations);
}

function keep(name: string, history: History, violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  mkdirSync(values.keep, { recursive: true });
  const file = join(values.keep, `${name}.jsonl`);
  writeFileSync(file, historyToLines(history));
  report(file, violations);
}

function report(file: string, violations: readonly Violation[]): void {
  console.log(`${violations.length} violations in ${file}`);
  for (const { name, message } of violations.slice(0, 10)) console.log(`  ${name}: ${message}`);
  if (violations.length > 0) process.exitCode = 1;
}

function layoutOf(text: string): Layout {
  const found = layouts.find((one) => one === text);
  if (found === undefined) throw new Error(`--on: ${layouts.join(", ")}`);
  return found;
}

function numberOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text);
}
