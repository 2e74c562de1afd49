/** Tries inputs on all targets: what was found once, and some new ones; `--all` goes on for two minutes. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runsAll } from "../scope.ts";
import { readCorpus } from "./harness/corpus.ts";
import { type Flaw, fuzz } from "./harness/fuzz.ts";
import { targets } from "./targets/index.ts";

/** Inputs come in the same order in every run; a slow machine gets less far. */
const seed = 1;
const msEach = 120_000 / targets.length;
const sample = 1_000;

for (const target of targets)
  test(`${target.name} does with every input what its target says`, async () => {
    const until = performance.now() + msEach;
    const more = (inputs: number): boolean => (runsAll ? performance.now() < until : inputs < (target.sample ?? sample));
    const { inputs, taken, flaws } = await fuzz(target, { seed, more, corpus: readCorpus(target.name).all });
    assert.deepEqual(flaws.map(shown), [], `seed ${seed}`);
    assert.ok(inputs > target.seeds.length);
    assert.ok(taken > 0, "no input was taken: its judgement tries nothing");
  });

test("there is a target for each file of kept inputs, and no two have one name", () => {
  const names = targets.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const files = readdirSync(join(import.meta.dirname, "corpus")).map((file) => file.replace(/\.json$/, ""));
  assert.deepEqual(
    files.filter((file) => !names.includes(file)),
    [],
  );
});

const shown = ({ input, error }: Flaw): string => `${JSON.stringify(input)}: ${error}`;
