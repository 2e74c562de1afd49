/**
 * Kubernetes' own scheduler with this API server says what it says with its own: `KUBE_SCHEDULER=/path/to/kube-scheduler`, or
 * it is on the PATH; skipped otherwise.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { sleep, systemClock } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { startCommand } from "../conformance/command-under-test.ts";
import { clear, fitErrorOn } from "./fit-errors/ask.ts";
import { caseFiles } from "./fit-errors/case.ts";

const program = process.env.KUBE_SCHEDULER ?? "kube-scheduler";
const isThere = spawnSync(program, ["--version"]).status === 0;
const skip = isThere ? false : "there is no kube-scheduler";

test("Kubernetes' own scheduler finds nothing in its way", { skip, timeout: hangMs }, async (t) => {
  const command = await startCommand("--ephemeral", "--apiserver-only");
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  const flags = ["--kubeconfig", command.kubeconfig, "--leader-elect=false", "--bind-address=127.0.0.1", "--secure-port=0"];
  const child = spawn(program, flags, { stdio: "ignore" });
  try {
    await sleep(systemClock, 2_000);
    for (const one of caseFiles().flatMap(({ cases }) => cases))
      await t.test(one.name, async () => {
        const fitError = await fitErrorOn({ client, settle: () => sleep(systemClock, 700) }, one);
        await clear(client, one);
        assert.deepEqual(fitError, one.fitError);
      });
  } finally {
    child.kill();
    await once(child, "exit");
    await command.stop();
  }
});
