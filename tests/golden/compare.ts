/**
 * Prints every field in which a server differs from what is recorded: `npm run golden:compare [-- --against URL --token T]
 * [scenario …]`. Without a server, the one of this repository is started. `--brief` cuts off, `--unaccepted` leaves out what
 * docs/compat.md accepts.
 */
import { readAccepted, unaccepted } from "./accepted-differences.ts";
import { requireAdministrator } from "./administrator.ts";
import { type CommandLine, runCommandLine } from "./command-line.ts";
import { formatDifference } from "./difference.ts";
import { compareWithOwnServers } from "./own-servers.ts";
import { type Comparison, compareAll } from "./replay-all.ts";
import { connect } from "./server.ts";

await runCommandLine(compare, ["brief", "unaccepted"]);

async function compare(commandLine: CommandLine): Promise<void> {
  const { flags } = commandLine;
  const { differences, total } = await comparison(commandLine);
  const shown = flags.has("unaccepted") ? unaccepted(differences, readAccepted()) : differences;
  for (const difference of shown) console.log(formatDifference(difference, flags.has("brief") ? 200 : undefined));
  console.log(`${total - differences.length} of ${total} steps equal`);
}

async function comparison({ access, scenarios }: CommandLine): Promise<Comparison> {
  if (access !== undefined) {
    using server = connect(access);
    await requireAdministrator(server);
    return await compareAll(server, scenarios, { concurrent: false });
  }
  return await compareWithOwnServers(scenarios);
}
