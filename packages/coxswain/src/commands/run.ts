/** `coxswain` itself: options in, a server until a signal ends it. */
import { messageOf, systemClock, systemRandom } from "@coxswain/machinery";
import type { pino } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { startCluster } from "../cluster/start-cluster.ts";
import type { ClaimedName } from "../instances/instance-files.ts";
import { type CommandOptions, parseOptions } from "../options/cluster-options.ts";
import { defaultName, unnamed } from "../options/instance-name.ts";
import { defaultDataDir } from "../options/user-paths.ts";
import { releaseMemoryWhenIdle } from "../process/idle-memory.ts";
import { createLog } from "../process/log.ts";
import { parseCommandLine, platformName } from "../process/process.ts";
import { ownIdentity } from "../process/process-identity.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { stopOnRequest } from "../process/stop-on-request.ts";
import { programName, startMessage } from "./start-message.ts";

/** Resolves once the server runs; the process ends with a signal. */
export async function run(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseOptions(args, process.env, manifest.version, output));
  if (options === undefined) return;
  const log = createLog(options);
  try {
    await serve(options, log);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`coxswain: ${error.message}\n`);
    process.exit(1);
  }
}

async function serve(options: CommandOptions, log: pino.Logger): Promise<void> {
  const { version } = manifest;
  const name = nameOf(options);
  // Nobody else can have the name that it gets by its process: that can wait until it serves.
  const isChosen = name !== unnamed(process.pid);
  let claimed = isChosen ? await claim(name, options, log) : undefined;
  const starting = startCluster(options, { clock: systemClock, random: systemRandom, log, version, platform: platformName() });
  const end = async (): Promise<void> => {
    await starting.then((cluster) => cluster.close()).finally(() => claimed?.[Symbol.dispose]());
  };
  // From now on, so that nothing is left behind by a start that is not wanted any more.
  const stop = stopOnRequest(end, { log, onStdinClose: options.stopOnStdinClose });
  try {
    const cluster = await starting;
    if (stop.isRequested()) return;
    releaseMemoryWhenIdle(systemClock);
    if (isChosen) claimed?.serves(cluster);
    process.stdout.write(startMessage({ ...cluster, version, pid: process.pid, program: programName(process.env) }, options));
    if (isChosen) return;
    claimed = await claim(name, options, log);
    if (stop.isRequested()) claimed?.[Symbol.dispose]();
    else claimed?.serves(cluster);
  } catch (error) {
    claimed?.[Symbol.dispose]();
    throw error;
  }
}

/** For `coxswain status`, `stop` and `kubectl`. @throws StartError when the name is taken */
async function claim(name: string | undefined, options: CommandOptions, log: pino.Logger): Promise<ClaimedName | undefined> {
  if (name === undefined) return undefined;
  const { dataDir } = options;
  const instance = {
    ...ownIdentity(),
    name,
    version: manifest.version,
    startedAt: systemClock.now(),
    ...(dataDir === undefined ? {} : { dataDir }),
  };
  const { claimName, instancesDir } = await import("../instances/instance-files.ts");
  try {
    return claimName(instancesDir(process.env), instance);
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (options.name !== undefined) throw startErrorOf("cannot note the name of the server", error);
    // A home that takes no files is usual in a container, where nobody asks for servers by their names.
    log.info({ error: messageOf(error) }, "failed to note the server for `coxswain status`");
    return undefined;
  }
}

/** A server that belongs to the program that has started it is no other's to stop, unless it was given a name. */
function nameOf({ name, dataDir, stopOnStdinClose }: CommandOptions): string | undefined {
  if (name !== undefined || stopOnStdinClose) return name;
  return dataDir === defaultDataDir(process.env) ? defaultName : unnamed(process.pid);
}
