/** Our checker of linearizability and porcupine, which know nothing of each other, come to the same. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { installed, readBeside, run } from "../../conformance/client-program.ts";
import { seededRandom } from "../../fuzz/harness/random.ts";
import { runDouble } from "./double.ts";
import { bugs } from "./double-store.ts";
import { type History, historyToLines } from "./history.ts";
import { checkLinearizability } from "./linearizability.ts";
import { anyMutations } from "./mutations.ts";

const files = ["go.mod", "go.sum", "main.go"];
const source = join(import.meta.dirname, "porcupine");

test("porcupine agrees on 200 right histories and 200 wrong ones", { timeout: 10 * 60_000 }, async (t) => {
  const program = await porcupine(t);
  if (program === undefined) return;
  const right = Array.from({ length: 200 }, (_, seed) => small(seed));
  const { wrong, stillRight } = changedHistories();
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const all = [...right, ...wrong, ...stillRight];
  const paths = all.map((history, i) => {
    const path = join(folder, `${i}.jsonl`);
    writeFileSync(path, historyToLines(history));
    return path;
  });
  const { code, stdout, stderr } = await run(program, paths, { timeoutMs: hangMs });
  assert.equal(code, 0, stderr);
  const answers = stdout.trim().split("\n");
  const expected = all.map((_, i) => String(i < right.length || i >= right.length + wrong.length));
  const differing = expected.flatMap((answer, i) => (answer === answers[i] ? [] : [`${paths[i]}: ${answers[i]}, not ${answer}`]));
  assert.deepEqual(differing, []);
  t.diagnostic(`${right.length} right, ${wrong.length} wrong, ${stillRight.length} changed ones that are right`);
});

const small = (seed: number): History => runDouble({ seed, operations: 40, clients: 4, keys: 2 });

/** By our checker: 200 that are wrong by a bug of the double or by a change, and what was made beside them without being wrong. */
function changedHistories(): { readonly wrong: readonly History[]; readonly stillRight: readonly History[] } {
  const [wrong, stillRight]: [History[], History[]] = [[], []];
  for (let seed = 1000; wrong.length < 200; seed++) {
    const random = seededRandom(seed);
    const history = random.oneIn(3)
      ? runDouble({ seed, operations: 40, clients: 4, keys: 2, bug: random.pick(bugs) })
      : random.pick(anyMutations)(small(seed), random);
    if (history !== undefined) (checkLinearizability(history).length === 0 ? stillRight : wrong).push(history);
  }
  return { wrong, stillRight };
}

/** Built once; undefined, and the test skipped, where that cannot be done. */
async function porcupine(t: TestContext): Promise<string | undefined> {
  const go = await run("go", ["version"], { timeoutMs: hangMs });
  if (go.code !== 0) return void t.skip("Go is not installed");
  const library = await installed({
    name: "porcupine",
    inputs: [go.stdout, ...files.map((file) => readBeside(source, file))],
    install(folder) {
      const build = join(folder, "source");
      mkdirSync(build);
      for (const file of files) copyFileSync(join(source, file), join(build, file));
      return run("go", ["build", "-o", join(folder, "porcupine"), "."], { cwd: build, timeoutMs: 8 * 60_000 });
    },
  });
  if ("missing" in library) return void t.skip(library.missing);
  return join(library.folder, "porcupine");
}
