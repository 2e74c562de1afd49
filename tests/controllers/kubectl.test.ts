/** The command as users start it, with its controllers, and kubectl: what they do together is what a cluster does. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs } from "@coxswain/machinery/testing";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { chosenKubectls, type Kubectl } from "../conformance/kubectl/kubectl.ts";
import { check, type Session } from "../conformance/kubectl/session.ts";
import { type ControllerStep, core, whole } from "./kubectl-steps.ts";
import { type SimulatedNodes, simulateNodes } from "./simulated-node.ts";
import { outcomeInAnnotations, type Pod, type PodOutcome } from "./simulated-pod.ts";

const kubectls = chosenKubectls();
const newest = kubectls.at(-1);

describe("kubectl and the controllers", { concurrency: 3, skip: newest === undefined ? "there is no kubectl" : false }, () => {
  let command: CommandUnderTest;
  let nodes: SimulatedNodes;
  before(async () => {
    command = await startCommand("--ephemeral", "--controllers=*", "--log-level=warn");
    nodes = await simulateNodes({ client: await clientFromKubeconfig({ paths: [command.kubeconfig] }), nodes: 2, podOutcome });
  });
  after(async () => {
    await nodes[Symbol.asyncDispose]();
    assert.equal(await command.stop(), 0);
  });

  if (newest !== undefined) test(`all of it with ${newest.version}`, () => inNamespace(newest, "whole", whole("whole")));
  for (const [i, kubectl] of kubectls.entries())
    test(`the basic commands with ${kubectl.version}`, () =>
      inNamespace(kubectl, `core-${i}`, [...core, { run: `delete namespace core-${i}` }]));

  async function inNamespace(kubectl: Kubectl, namespace: string, steps: readonly ControllerStep[]): Promise<void> {
    const session = sessionOf(kubectl, namespace);
    await check(session, { run: `create namespace ${namespace}` });
    await check(session, { run: `config set-context --current --namespace=${namespace}` });
    for (const step of steps) await (step.eventually === true ? checkUntil(session, step) : check(session, step));
  }

  /** A kubeconfig of its own, since that names the namespace. */
  function sessionOf(kubectl: Kubectl, namespace: string): Session {
    const home = join(command.directory, namespace);
    mkdirSync(home);
    const KUBECONFIG = join(home, "config");
    copyFileSync(command.kubeconfig, KUBECONFIG);
    return { kubectl, env: { KUBECONFIG, HOME: home, KUBECACHEDIR: join(home, "cache") } };
  }
});

/** What is to end, ends at once. */
function podOutcome(pod: Pod): PodOutcome {
  const annotated = outcomeInAnnotations(pod);
  return pod.spec?.restartPolicy === "Always" || annotated.kind === "ends" ? annotated : { kind: "ends", exitCode: 0, afterMs: 100 };
}

/** Each try is a process, which is pause enough. */
async function checkUntil(session: Session, step: ControllerStep): Promise<void> {
  const end = performance.now() + hangMs;
  for (;;) {
    try {
      await check(session, step);
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
