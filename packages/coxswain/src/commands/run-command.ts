/** What `coxswain` does. */
import { runEnvtestCommand } from "../envtest/run-asset.ts";

/** What envtest starts is there before the rest would be loaded. */
export const runCommand = (args: readonly string[]): Promise<void> =>
  runEnvtestCommand(args) ?? import("./run.ts").then(({ run }) => run(args));
