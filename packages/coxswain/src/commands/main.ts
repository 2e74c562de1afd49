/** What `coxswain` does; `bin/coxswain.mjs` is the command. */
import { runEnvtestCommand } from "../envtest/run-asset.ts";

const args = process.argv.slice(2);
// What envtest starts is there before the rest would be loaded.
await (runEnvtestCommand(args) ?? import("./run.ts").then(({ run }) => run(args)));
