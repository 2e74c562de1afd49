import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type CommandUnderTest, startCommand } from "../command-under-test.ts";
import { type Environment, Follower, findKubectls, type Kubectl, runKubectl } from "./kubectl.ts";
import { type Step, steps } from "./steps.ts";

const kubectls = findKubectls();
const manifestFile = join(import.meta.dirname, "manifest.yaml");
const objects = readFileSync(manifestFile, "utf8").match(/^kind:/gm)?.length ?? 0;

describe("kubectl", { concurrency: 2, skip: kubectls.length === 0 ? "there is no kubectl" : false }, () => {
  for (const kubectl of kubectls) session(kubectl);
});

/** One kubectl with a server of its own. */
function session(kubectl: Kubectl): void {
  describe(kubectl.version, { concurrency: 1 }, () => {
    let command: CommandUnderTest;
    let env: Environment;
    before(async () => {
      command = await startCommand("--ephemeral", "--log-level", "warn");
      env = { KUBECONFIG: command.kubeconfig, HOME: command.directory, KUBECACHEDIR: join(command.directory, "cache") };
    });
    after(async () => {
      assert.equal(await command.stop(), 0);
      assert.equal(command.log(), "");
    });

    for (const step of steps) {
      test(`kubectl ${words(step).join(" ")}`, async () => {
        await check(kubectl, step, env);
      });
    }
    test("get -w follows what others change", () => watching(kubectl, env));
    test(`apply of ${objects} objects: again, compared, and taken away`, () => applying(kubectl, env));
  });
}

function words({ run }: Step): readonly string[] {
  return typeof run === "string" ? run.split(" ") : run;
}

async function check(kubectl: Kubectl, step: Step, env: Environment): Promise<string> {
  const ran = await runKubectl(kubectl, words(step), { ...env, ...step.env }, step.stdin);
  const all = `code ${ran.code}\n${ran.stdout}\n${ran.stderr}`;
  assert.equal(ran.code, step.code ?? 0, all);
  const printed = ran.stdout.trim();
  if (typeof step.prints === "string") assert.equal(printed, step.prints, all);
  else if (step.prints !== undefined) assert.match(printed, step.prints, all);
  if (step.complains !== undefined) assert.match(ran.stderr, step.complains, all);
  return printed;
}

async function watching(kubectl: Kubectl, env: Environment): Promise<void> {
  await check(kubectl, { run: "create configmap watched --from-literal=n=0" }, env);
  using watch = new Follower(kubectl, ["get", "configmap", "watched", "-w", "-o", "jsonpath={.data.n}{'\\n'}"], env);
  assert.equal(await watch.next(), "0");
  for (const n of ["1", "2"]) {
    await check(kubectl, { run: ["patch", "configmap", "watched", "-p", JSON.stringify({ data: { n } })] }, env);
    assert.equal(await watch.next(), n);
  }
}

async function applying(kubectl: Kubectl, env: Environment): Promise<void> {
  const inShop = ["--namespace", "shop"];
  const everyObject = (outcome: string) => new RegExp(`^(\\S+ ${outcome}\\n?){${objects}}$`);
  await check(kubectl, { run: [...inShop, "apply", "-f", manifestFile], prints: everyObject("created") }, env);
  await check(kubectl, { run: [...inShop, "apply", "-f", manifestFile], prints: everyObject("unchanged") }, env);
  await check(kubectl, { run: [...inShop, "diff", "-f", manifestFile], prints: "" }, env);
  const changed = readFileSync(manifestFile, "utf8").replace("currency: EUR", "currency: SEK");
  await check(
    kubectl,
    { run: [...inShop, "diff", "-f", "-"], stdin: changed, code: 1, prints: /-\s+currency: EUR\n\+\s+currency: SEK/ },
    env,
  );
  const applied = await check(kubectl, { run: [...inShop, "apply", "-f", "-"], stdin: changed }, env);
  assert.deepEqual(applied.match(/^.* configured$/gm), ["configmap/settings configured"]);
  await check(kubectl, { run: [...inShop, "delete", "--wait", "-f", manifestFile], prints: everyObject(".*deleted.*") }, env);
  await check(kubectl, { run: [...inShop, "get", "-f", manifestFile, "--ignore-not-found", "-o", "name"], prints: "" }, env);
}
