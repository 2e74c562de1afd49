/** Replays recorded requests and compares the answers with those of Kubernetes 1.36.3, where the recordings are at hand. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type CommandUnderTest, root, startCommand } from "./command-under-test.ts";

const golden = join(root, "..", "shared", "golden");
/** All but `access`, which is about users that RBAC lets do some things. */
const scenarios = [
  ...["concurrency", "bad-requests", "metadata", "patch", "list", "watch", "validation-modes", "discovery", "workloads"],
  ...["defaults", "invalid", "apply", "custom-resource"],
];
const enough = 0.97;

const skip = existsSync(golden) ? false : "the recordings are not beside the repository";

test("answers are those of Kubernetes, or docs/compat.md says why not", { skip }, async (t) => {
  const command = await startCommand("--ephemeral", "--log-level", "warn");
  t.after(() => command.stop());
  // Each scenario has a namespace of its own, and waits most of its time.
  const reports = await Promise.all(scenarios.map((scenario) => compareInOneSecond(command, scenario)));
  const report = reports.join("");
  const counts = [...report.matchAll(/^(\d+) of (\d+) steps equal/gm)];
  const equal = counts.reduce((sum, [, count]) => sum + Number(count), 0);
  const total = counts.reduce((sum, [, , count]) => sum + Number(count), 0);
  t.diagnostic(`${equal} of ${total} steps equal`);
  assert.equal(counts.length, scenarios.length, report);
  assert.ok(equal >= enough * total, report);
  const compat = readFileSync(join(root, "docs", "compat.md"), "utf8").split("\n");
  const unexplained = differences(report).filter(
    ({ scenario, step }) => !compat.some((line) => line.includes(`\`${scenario}\``) && line.includes(`\`${step}\``)),
  );
  assert.deepEqual(unexplained, [], "every difference needs its line in docs/compat.md");
});

/**
 * Entries of managed fields stand in the order of their seconds. Where the recorded writes fell into one and these do not,
 * the scenario is played again; what differs for another reason differs each time.
 */
async function compareInOneSecond({ server, token }: CommandUnderTest, scenario: string): Promise<string> {
  const report = await compare(server, token, scenario);
  const isOrder = ({ paths }: Difference) => paths.every((path) => path.includes("/managedFields/"));
  if (!differences(report).some(isOrder)) return report;
  const fresh = await startCommand("--ephemeral", "--log-level", "warn");
  try {
    return await compare(fresh.server, fresh.token, scenario);
  } finally {
    await fresh.stop();
  }
}

function compare(server: string, token: string, scenario: string): Promise<string> {
  const file = join(golden, "scenarios", `${scenario}.json`);
  const options = ["--server", server, "--token", token, "--expected", join(golden, "expected"), "--verbose"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(golden, "golden.mjs"), "compare", ...options, file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let report = "";
    child.stdout.on("data", (chunk: Buffer) => {
      report += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", () => resolve(report));
  });
}

interface Difference {
  readonly scenario: string;
  readonly step: string;
  readonly paths: readonly string[];
}

/** The steps that differ in more than the words of a message. */
function differences(report: string): Difference[] {
  const found: { scenario: string; step: string; paths: string[] }[] = [];
  for (const line of report.split("\n")) {
    const [, scenario, step] = /^(\S+)\.json (.*):$/.exec(line) ?? [];
    if (scenario !== undefined && step !== undefined) found.push({ scenario, step, paths: [] });
    else if (line.startsWith("  ")) found.at(-1)?.paths.push(line.trim().split(": ")[0] ?? "");
  }
  return found.filter(({ paths }) => paths.some((path) => !path.endsWith("/message")));
}
