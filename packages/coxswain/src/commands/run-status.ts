/** `coxswain status`: the servers of this user that run. */
import { systemClock } from "@coxswain/machinery";
import { chooseInstance } from "../instances/choose-instance.ts";
import { instancesDir, runningInstances } from "../instances/instance-files.ts";
import { isReady } from "../instances/readiness.ts";
import { statusText } from "../instances/status-text.ts";
import { parseStatusOptions } from "../options/instance-options.ts";
import { parseCommandLine } from "../process/process.ts";

export async function runStatus(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseStatusOptions(args, output));
  if (options === undefined) return;
  const running = runningInstances(instancesDir(process.env));
  const shown = options.name === undefined ? running : [chooseInstance(running, options.name)];
  const instances = await Promise.all(shown.map(async (instance) => ({ ...instance, isReady: await isReady(instance) })));
  process.stdout.write(statusText(instances, { output: options.output, now: systemClock.now() }));
  if (instances.length === 0 || instances.some((instance) => !instance.isReady)) process.exitCode = 1;
}
