/** `coxswain kubectl`: kubectl against a server that runs. */
import { chooseInstance } from "../instances/choose-instance.ts";
import { instancesDir, runningInstances } from "../instances/instance-files.ts";
import { parseKubectlOptions } from "../options/instance-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { runProgram } from "../process/run-program.ts";
import { StartError } from "../process/start-error.ts";

export async function runKubectl(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseKubectlOptions(args, output));
  if (options === undefined) return;
  const { name, serving } = chooseInstance(runningInstances(instancesDir(process.env)), options.name);
  if (serving === undefined) throw new StartError(`${name} still starts; try again in a moment`);
  process.exitCode = await runProgram("kubectl", options.args, {
    env: { ...process.env, KUBECONFIG: serving.kubeconfig },
    missing: "there is no kubectl on the PATH; https://kubernetes.io/docs/tasks/tools has it",
  });
}
