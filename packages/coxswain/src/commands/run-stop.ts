/** `coxswain stop`: ends a server as its signal would. */
import { systemClock } from "@coxswain/machinery";
import { chooseInstance } from "../instances/choose-instance.ts";
import { instancesDir, runningInstances } from "../instances/instance-files.ts";
import { parseStopOptions } from "../options/instance-options.ts";
import { endsWithin } from "../process/ends-within.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";

export async function runStop(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseStopOptions(args, output));
  if (options === undefined) return;
  const instance = chooseInstance(runningInstances(instancesDir(process.env)), options.name);
  process.kill(instance.pid, "SIGTERM");
  if (!(await endsWithin(instance, systemClock, options.timeout * 1000)))
    throw new StartError(`${instance.name} (process ${instance.pid}) was asked to stop, and still runs after ${options.timeout} s`);
  process.stdout.write(`stopped ${instance.name} (process ${instance.pid})\n`);
}
