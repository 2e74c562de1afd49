/** The fuzzer itself: it finds what is planted, and the same for the same seed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseQuantity } from "@coxswain/machinery";
import { type FuzzRun, fuzz } from "./fuzz.ts";
import { seededRandom } from "./random.ts";
import type { FuzzTarget } from "./target.ts";

const planted: FuzzTarget = {
  name: "planted",
  modules: ["machinery/src/quantity"],
  dictionary: ["1", "Ki", "M"],
  seeds: ["1"],
  judge(input) {
    if (input.includes("Ki") && input.includes("M")) throw new Error("planted");
    return parseQuantity(input) !== undefined;
  },
};

const run = (target: FuzzTarget, seed: number, inputs = 3_000): Promise<FuzzRun> =>
  fuzz(target, { seed, more: (before) => before < inputs, corpus: [] });

test("finds a flaw, with the input that shows it", async () => {
  const { flaws, inputs } = await run(planted, 1);
  assert.ok(flaws.length > 0 && inputs > 1);
  for (const { input, error } of flaws) {
    assert.match(input, /Ki/);
    assert.match(String(error), /planted/);
  }
});

test("keeps inputs that cover what others do not", async () => {
  const { kept, blocks } = await run({ ...planted, judge: (input) => parseQuantity(input) !== undefined }, 1);
  assert.ok(kept.length > 0, "none was kept");
  assert.ok(blocks > 5, `${blocks} blocks`);
});

test("takes a promise that is rejected for a flaw", async () => {
  const { flaws } = await run({ ...planted, judge: () => Promise.reject(new Error("rejected")) }, 1, 1);
  assert.match(String(flaws[0]?.error), /rejected/);
});

test("takes work without end for a flaw", async () => {
  const slow = (): boolean => {
    const { user } = process.threadCpuUsage();
    while (process.threadCpuUsage().user - user < 30_000);
    return true;
  };
  const { flaws } = await fuzz({ ...planted, judge: slow }, { seed: 1, more: () => false, corpus: [], maxCpuMs: 10 });
  assert.match(String(flaws[0]?.error), /takes more than/);
});

test("tries the same inputs for the same seed, and others for another", async () => {
  const tried = async (seed: number): Promise<readonly string[]> => {
    const inputs: string[] = [];
    await run({ ...planted, modules: [], judge: (input) => inputs.push(input) > 0 }, seed, 500);
    return inputs;
  };
  assert.deepEqual(await tried(1), await tried(1));
  assert.notDeepEqual(await tried(1), await tried(2));
});

test("chance is spread over its range", () => {
  const random = seededRandom(1);
  const counts = Array.from({ length: 10 }, () => 0);
  for (let i = 0; i < 10_000; i++) counts[random.below(10)]!++;
  for (const count of counts) assert.ok(count > 850 && count < 1_150, String(counts));
});
