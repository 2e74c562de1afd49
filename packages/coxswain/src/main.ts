#!/usr/bin/env node
/** Where `coxswain` begins. What was compiled at an earlier start is not compiled again. */
import { enableCompileCache, flushCompileCache } from "node:module";

enableCompileCache();
const { run } = await import("./run.ts");
await run(process.argv.slice(2));
flushCompileCache(); // A server that is killed could not do it at its end.
