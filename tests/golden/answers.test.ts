/** Replays the questions: a change of an answer shows in the change's diff, because `npm run golden:record` has to be run. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { expectedDirectory, runTool, scenarioFiles, startEmptyServer, toolIsThere } from "./tool.ts";

interface Scenario {
  readonly name: string;
  readonly steps: readonly { readonly name: string }[];
}

const read = (file: string): Scenario => JSON.parse(readFileSync(file, "utf8"));

for (const file of scenarioFiles()) {
  test(`${basename(file)} is well formed and has an answer to each step`, () => {
    const { name, steps } = read(file);
    assert.equal(`${name}.json`, basename(file));
    const names = steps.map((step) => step.name);
    assert.equal(new Set(names).size, names.length, "names of steps are unique");
    const recorded: { answers: readonly { step: string }[] } = JSON.parse(readFileSync(join(expectedDirectory, basename(file)), "utf8"));
    assert.equal(recorded.answers.length, names.length, "run npm run golden:record");
  });
}

const skip = toolIsThere ? false : "the tool that replays is not beside the repository";

test("answers are those that are recorded; if a change is meant, run npm run golden:record", { skip }, async (t) => {
  const command = await startEmptyServer();
  t.after(() => command.stop());
  const report = await runTool("compare", command, ["--expected", expectedDirectory, "--verbose"], scenarioFiles());
  const [, equal, total] = /^(\d+) of (\d+) steps equal/m.exec(report) ?? [];
  t.diagnostic(`${equal} of ${total} steps equal`);
  assert.ok(equal !== undefined && equal === total, report);
});
