/** `coxswain kubectl`: kubectl against a server that runs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { chooseInstance } from "../instances/choose-instance.ts";
import { instancesDir, runningInstances } from "../instances/instance-files.ts";
import { parseKubectlOptions } from "../options/instance-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";

export async function runKubectl(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseKubectlOptions(args, output));
  if (options === undefined) return;
  const { name, serving } = chooseInstance(runningInstances(instancesDir(process.env)), options.name);
  if (serving === undefined) throw new StartError(`${name} still starts; try again in a moment`);
  const child = spawn("kubectl", options.args, { stdio: "inherit", env: { ...process.env, KUBECONFIG: serving.kubeconfig } });
  // A terminal passes its signals on to kubectl as well: this process waits for what that makes of them.
  for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => void child.kill(signal));
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    process.exitCode = code ?? 128 + constants.signals[signal ?? "SIGTERM"];
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new StartError("there is no kubectl on the PATH; https://kubernetes.io/docs/tasks/tools has it");
    throw startErrorOf("kubectl did not start", error);
  }
}
