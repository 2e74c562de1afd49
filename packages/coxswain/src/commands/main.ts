/** What `bin/coxswain.mjs` runs. */
import { runCommand } from "./run-command.ts";

await runCommand(process.argv.slice(2));
