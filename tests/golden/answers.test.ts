/** Replays the scenarios and compares with what Kubernetes 1.36.3 answered; README.md says how. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAccepted, staleLines, unaccepted } from "./accepted-differences.ts";
import { formatDifference } from "./difference.ts";
import { compareWithOwnServers } from "./own-servers.ts";
import { readRecording, readScenario, scenarioNames } from "./scenario.ts";

test("each scenario is well formed and has an answer to each step", () => {
  for (const name of scenarioNames()) {
    const scenario = readScenario(name);
    const steps = scenario.steps.map((step) => step.name);
    assert.equal(scenario.name, name);
    assert.equal(new Set(steps).size, steps.length, `${name}: names of steps are unique`);
    assert.deepEqual(
      readRecording(name).answers.map(({ step }) => step),
      steps,
      `${name}: record it again`,
    );
  }
});

test("answers are those of Kubernetes, or docs/compat.md says why not", async (t) => {
  const { differences, total } = await compareWithOwnServers(scenarioNames());
  t.diagnostic(`${total - differences.length} of ${total} steps equal`);

  const accepted = readAccepted();
  const unexpected = unaccepted(differences, accepted).map((one) => formatDifference(one, 1000));
  assert.equal(unexpected.join("\n"), "", "mend these, or give them lines with a reason in docs/compat.md");
  assert.deepEqual(staleLines(differences, accepted), [], "take these off the table in docs/compat.md: they are equal");
});
