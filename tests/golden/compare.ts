/**
 * Prints every field in which a server differs from what is recorded: `npm run golden:compare [-- --against URL --token T]
 * [scenario …]`. Without a server, the one of this repository is started. With `--write-open`, what docs/compat.md does not
 * accept is written to `open-differences.json`.
 */
import { startCommand } from "../conformance/command-under-test.ts";
import { requireAdministrator } from "./administrator.ts";
import { type CommandLine, runCommandLine } from "./command-line.ts";
import { formatDifference, type StepDifference } from "./difference.ts";
import { openOf, readAccepted, readOpen, writeOpen } from "./known-differences.ts";
import { type Comparison, compareAll } from "./replay-all.ts";
import { connect } from "./server.ts";

await runCommandLine(compare, ["write-open", "brief"]);

async function compare(commandLine: CommandLine): Promise<void> {
  const { scenarios, flags } = commandLine;
  const { differences, total } = await comparison(commandLine);
  for (const difference of differences) console.log(formatDifference(difference, flags.has("brief") ? 200 : undefined));
  console.log(`${total - differences.length} of ${total} steps equal`);
  if (flags.has("write-open")) writeOpenOf(scenarios, differences);
}

async function comparison({ access, scenarios }: CommandLine): Promise<Comparison> {
  if (access !== undefined) {
    using server = connect(access);
    await requireAdministrator(server);
    return await compareAll(server, scenarios, { concurrent: false });
  }
  const command = await startCommand("--ephemeral", "--log-level", "error");
  try {
    using server = connect({ url: command.server, token: command.token });
    return await compareAll(server, scenarios, { concurrent: true });
  } finally {
    await command.stop();
  }
}

/** Those of other scenarios stay. */
function writeOpenOf(scenarios: readonly string[], differences: readonly StepDifference[]): void {
  const others = Object.entries(readOpen()).filter(([scenario]) => !scenarios.includes(scenario));
  const open = [...others, ...Object.entries(openOf(differences, readAccepted()))];
  writeOpen(Object.fromEntries(open.sort(([a], [b]) => (a < b ? -1 : 1))));
}
