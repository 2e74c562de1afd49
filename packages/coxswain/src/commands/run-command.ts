/** What `coxswain` does. */
import { runEnvtestCommand } from "../envtest/run-asset.ts";
import { withoutAliases } from "../options/subcommands.ts";
import { runSubcommand } from "./subcommands.ts";

/** What envtest starts, and what only asks, is there before the rest would be loaded. */
export function runCommand(words: readonly string[]): Promise<void> {
  const args = withoutAliases(words);
  return runEnvtestCommand(args) ?? runSubcommand(args) ?? import("./run.ts").then(({ run }) => run(args));
}
