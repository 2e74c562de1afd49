/** A kubectl with a server of its own, and steps that build on each other. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type CommandUnderTest, startCommand } from "../command-under-test.ts";
import { chosenKubectls, type Environment, type Kubectl, runKubectl } from "./kubectl.ts";
import type { Step } from "./steps.ts";

export interface Session {
  readonly kubectl: Kubectl;
  /** How it finds the server. */
  readonly env: Environment;
}

const kubectls = chosenKubectls();

/**
 * Defines, for each kubectl, the tests that `tests` makes. What it is given gives the session once a test runs.
 * @param options of the command, more than where its state is
 */
export function eachKubectl(title: string, tests: (session: () => Session) => void, options: readonly string[] = []): void {
  describe(title, { concurrency: 2, skip: kubectls.length === 0 ? "there is no kubectl" : false }, () => {
    for (const kubectl of kubectls) {
      describe(kubectl.version, { concurrency: 1 }, () => {
        let command: CommandUnderTest;
        let env: Environment;
        before(async () => {
          command = await startCommand("--ephemeral", "--log-level", "warn", ...options);
          env = { KUBECONFIG: command.kubeconfig, HOME: command.directory, KUBECACHEDIR: join(command.directory, "cache") };
        });
        after(async () => {
          assert.equal(await command.stop(), 0);
          assert.equal(command.log(), "");
        });
        tests(() => ({ kubectl, env }));
      });
    }
  });
}

export function testSteps(steps: readonly Step[], session: () => Session): void {
  for (const step of steps) {
    test(`kubectl ${words(step).join(" ")}`, async () => {
      await check(session(), step);
    });
  }
}

function words({ run }: Step): readonly string[] {
  return typeof run === "string" ? run.split(" ") : run;
}

/** @returns what was printed */
export async function check({ kubectl, env }: Session, step: Step): Promise<string> {
  const ran = await runKubectl(kubectl, words(step), { ...env, ...step.env }, step.stdin);
  const all = `code ${ran.code}\n${ran.stdout}\n${ran.stderr}`;
  assert.equal(ran.code, step.code ?? 0, all);
  const printed = ran.stdout.trim();
  if (typeof step.prints === "string") assert.equal(printed, step.prints, all);
  else if (step.prints !== undefined) assert.match(printed, step.prints, all);
  if (step.complains !== undefined) assert.match(ran.stderr, step.complains, all);
  return printed;
}
