/** `coxswain controllers`: the controllers in a process of their own. */
import { readFileSync } from "node:fs";
import { type ControllerSettings, chooseControllers, manageControllers, managerName } from "@coxswain/controllers";
import { connect, leaderElectionOf, runStandalone } from "../components/run-standalone.ts";
import { checkControllers } from "../controllers/start-in-background.ts";
import { type ControllersOptions, parseControllersOptions } from "../options/controllers-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { startErrorOf } from "../process/start-error.ts";

export async function runControllersCommand(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseControllersOptions(args, output));
  if (options === undefined) return;
  await runStandalone(options, "controllers", async (log) => {
    await checkControllers(options.controllers);
    const client = await connect(options, managerName);
    const setting = { client, settings: settingsOf(options), log, ...leaderElectionOf(options.leaderElection, log) };
    return manageControllers(chooseControllers(options.controllers), setting);
  });
}

/** @throws StartError */
const settingsOf = ({ rootCaFile }: ControllersOptions): ControllerSettings =>
  rootCaFile === undefined ? {} : { rootCa: read(rootCaFile) };

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw startErrorOf("cannot read the certificates", error);
  }
}
