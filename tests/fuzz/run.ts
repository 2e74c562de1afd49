/**
 * `npm run fuzz -- [TARGET…]`: tries inputs on all targets, or on those named. RUNS is how many inputs a target gets, or SECONDS
 * how long all of them together; SEED makes others of them. Writes to `corpus` what was found, and what covers more with KEEP=1.
 */
import { inspect } from "node:util";
import { addToCorpus, readCorpus } from "./harness/corpus.ts";
import { type FuzzRun, fuzz } from "./harness/fuzz.ts";
import { targets } from "./targets/index.ts";

const number = (name: string): number | undefined => {
  const text = process.env[name];
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`${name}: not a number: ${text}`);
  return Number(text);
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !targets.some((target) => target.name === name));
if (unknown.length > 0) throw new Error(`no target ${unknown.join(", ")}; there are ${targets.map(({ name }) => name).join(", ")}`);
const chosen = targets.filter(({ name }) => names.length === 0 || names.includes(name));
const seed = number("SEED") ?? 1;
const runs = number("RUNS");
const msEach = runs === undefined ? ((number("SECONDS") ?? 120) * 1_000) / chosen.length : undefined;

console.log(`seed ${seed}\n${row("target", "inputs", "taken", "blocks", "kept", "flaws")}`);
let flaws = 0;
for (const target of chosen) {
  const started = performance.now();
  const more = (inputs: number): boolean => (msEach === undefined ? inputs < (runs ?? 0) : performance.now() - started < msEach);
  const run = await fuzz(target, { seed, more, corpus: readCorpus(target.name).all });
  console.log(row(run.target, run.inputs, run.taken, run.blocks, run.kept.length, run.flaws.length));
  for (const { input, error } of run.flaws) console.log(`  ${JSON.stringify(input)}\n    ${inspect(error)}`);
  flaws += run.flaws.length;
  keep(run);
}
process.exitCode = flaws > 0 ? 1 : 0;

function keep({ target, flaws: found, kept }: FuzzRun): void {
  addToCorpus(target, { found: found.map(({ input }) => input), covering: process.env.KEEP === "1" ? kept : [] });
}

function row(...cells: readonly (string | number)[]): string {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(24) : String(cell).padStart(10))).join("");
}
