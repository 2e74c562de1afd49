/** Expressions: the answers recorded for machinery's tests are those of Kubernetes' own libraries. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hangMs } from "@coxswain/machinery/testing";
import { run } from "./client-program.ts";
import { root } from "./command-under-test.ts";
import { testWithGoProgram } from "./go-program.ts";

interface Answer {
  readonly about?: string;
  readonly expr: string;
}

const recorded = join(root, "packages/cel/src/library/kubernetes.answers.jsonl");
const read = (lines: string): Answer[] =>
  lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

testWithGoProgram("cel: recorded answers are Kubernetes' own", "cel", async (_t, program) => {
  const expected = read(readFileSync(recorded, "utf8")).map(({ about: _, ...answer }) => answer);
  const { code, stdout, stderr } = await run(
    program,
    expected.map(({ expr }) => expr),
    { timeoutMs: hangMs },
  );
  assert.equal(code, 0, stderr);
  assert.deepEqual(read(stdout), expected);
});
