/**
 * Prints every field in which a server differs from what is recorded: `npm run golden:compare [-- --against URL --token T]
 * [scenario …]`. Without a server, the one of this repository is started. With `--write-open`, what docs/compat.md does not
 * accept is written to `open-differences.json`.
 */
import { startCommand } from "../conformance/command-under-test.ts";
import { readCommandLine, requireAdministrator } from "./command-line.ts";
import { formatDifference } from "./difference.ts";
import { openOf, readAccepted, readOpen, writeOpen } from "./known-differences.ts";
import { compareAll } from "./replay-all.ts";
import { connect } from "./server.ts";

const { access, scenarios, flags } = await readCommandLine(process.argv.slice(2), ["write-open", "brief"]);
const command = access === undefined ? await startCommand("--ephemeral", "--log-level", "error") : undefined;
const server = connect(access ?? { url: command?.server ?? "", token: command?.token });
try {
  await requireAdministrator(server);
  const { differences, total } = await compareAll(server, scenarios, { concurrent: command !== undefined });
  for (const difference of differences) console.log(formatDifference(difference, flags.has("brief") ? 200 : undefined));
  console.log(`${total - differences.length} of ${total} steps equal`);
  if (flags.has("write-open")) {
    const untouched = Object.entries(readOpen()).filter(([scenario]) => !scenarios.includes(scenario));
    const open = { ...Object.fromEntries(untouched), ...openOf(differences, readAccepted()) };
    writeOpen(Object.fromEntries(Object.entries(open).sort(([a], [b]) => (a < b ? -1 : 1))));
  }
} finally {
  server.close();
  await command?.stop();
}
