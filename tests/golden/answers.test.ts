/** Replays the scenarios and compares with what Kubernetes 1.36.3 answered; README.md says how. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startCommand } from "../conformance/command-under-test.ts";
import { formatDifference } from "./difference.ts";
import { openOf, readAccepted, readOpen, staleLines } from "./known-differences.ts";
import { compareAll } from "./replay-all.ts";
import { readRecording, readScenario, scenarioNames } from "./scenario.ts";
import { connect } from "./server.ts";

test("each scenario is well formed and has an answer to each step", () => {
  for (const name of scenarioNames()) {
    const scenario = readScenario(name);
    const steps = scenario.steps.map((step) => step.name);
    assert.equal(scenario.name, name);
    assert.equal(new Set(steps).size, steps.length, `${name}: names of steps are unique`);
    assert.deepEqual(
      readRecording(name).answers.map(({ step }) => step),
      steps,
      `${name}: record it anew`,
    );
  }
});

test("answers are those of Kubernetes, or docs/compat.md says why not", async (t) => {
  const command = await startCommand("--ephemeral", "--log-level", "error");
  t.after(() => command.stop());
  using server = connect({ url: command.server, token: command.token });
  const { differences, total } = await compareAll(server, scenarioNames(), { concurrent: true });
  t.diagnostic(`${total - differences.length} of ${total} steps equal`);

  const accepted = readAccepted();
  const [found, open] = [openOf(differences, accepted), readOpen()];
  const unexpected = differences.filter(({ scenario, step }) => found[scenario]?.includes(step) && !open[scenario]?.includes(step));
  assert.equal(
    unexpected.map((one) => formatDifference(one, 1000)).join("\n"),
    "",
    "mend these, or give them lines with a reason in docs/compat.md",
  );
  const mended = Object.entries(open).flatMap(([scenario, steps]) =>
    steps.filter((step) => !found[scenario]?.includes(step)).map((step) => `${scenario} "${step}"`),
  );
  assert.deepEqual(mended, [], "take these off open-differences.json: npm run golden:compare -- --write-open");
  assert.deepEqual(staleLines(differences, accepted), [], "take these off the table in docs/compat.md: they are equal");
});
