/** What `coxswain` does; `bin/coxswain.mjs` is the command. */
import { run } from "./run.ts";

await run(process.argv.slice(2));
