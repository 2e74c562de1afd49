/** `coxswain controllers`: the controllers in a process of their own. */
import { readFileSync } from "node:fs";
import { type Client, createClient } from "@coxswain/client";
import { transportOf } from "@coxswain/client/node";
import { type ControllerSettings, chooseControllers, manageControllers, managerName } from "@coxswain/controllers";
import { accessOf, connect, leaderElectionOf, limitedTransport, runStandalone } from "../components/run-standalone.ts";
import { ServiceAccountCredentials } from "../controllers/service-account-credentials.ts";
import { checkControllers, checkNodeIpam } from "../controllers/start-in-background.ts";
import { type ControllersOptions, parseControllersOptions } from "../options/controllers-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { startErrorOf } from "../process/start-error.ts";

export async function runControllersCommand(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseControllersOptions(args, output));
  if (options === undefined) return;
  await runStandalone(options, "controllers", async (log) => {
    await checkControllers(options.controllers);
    await checkNodeIpam(options.nodeIpam?.clusterCidrs ?? [], 0, options.nodeIpam?.maskSizes);
    const client = await connect(options, managerName);
    const accounts = options.useServiceAccountCredentials ? { clientForServiceAccount: await clientsOfAccounts(options, client) } : {};
    const setting = { client, ...accounts, settings: settingsOf(options), log, ...leaderElectionOf(options.leaderElection, log) };
    return manageControllers(chooseControllers(options.controllers), setting);
  });
}

/** Each has its own connection; the process ends with all of them. @throws StartError */
async function clientsOfAccounts(options: ControllersOptions, client: Client): Promise<(name: string) => Client> {
  const access = await accessOf(options);
  const { clock, random } = client;
  return (name) =>
    createClient({
      transport: limitedTransport(
        transportOf(access, { clock, credentials: new ServiceAccountCredentials(client, name) }),
        options.apiRate,
      ),
      clock,
      random,
      fieldManager: managerName,
      omitsManagedFields: true,
    });
}

/** @throws StartError */
const settingsOf = ({ rootCaFile, nodeIpam }: ControllersOptions): ControllerSettings => ({
  ...(rootCaFile === undefined ? {} : { rootCa: read(rootCaFile) }),
  ...(nodeIpam === undefined ? {} : { nodeIpam }),
});

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw startErrorOf("cannot read the certificates", error);
  }
}
