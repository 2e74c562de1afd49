/** `coxswain stop`: ends a server as its signal would. */
import { type Clock, sleep, systemClock } from "@coxswain/machinery";
import { chooseInstance } from "../instances/choose-instance.ts";
import type { Instance } from "../instances/instance.ts";
import { instancesDir, runningInstances } from "../instances/instance-files.ts";
import { parseStopOptions } from "../options/instance-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { isAlive } from "../process/process-identity.ts";
import { StartError } from "../process/start-error.ts";

const pollIntervalMs = 20;

export async function runStop(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseStopOptions(args, output));
  if (options === undefined) return;
  const instance = chooseInstance(runningInstances(instancesDir(process.env)), options.name);
  process.kill(instance.pid, "SIGTERM");
  await untilEnded(instance, systemClock, options.timeout);
  process.stdout.write(`stopped ${instance.name} (process ${instance.pid})\n`);
}

/** @throws StartError when it still runs after so many seconds */
async function untilEnded(instance: Instance, clock: Clock, seconds: number): Promise<void> {
  const deadline = clock.monotonic() + seconds * 1000;
  while (isAlive(instance)) {
    if (clock.monotonic() >= deadline)
      throw new StartError(`${instance.name} (process ${instance.pid}) was asked to stop, and still runs after ${seconds} s`);
    await sleep(clock, pollIntervalMs);
  }
}
