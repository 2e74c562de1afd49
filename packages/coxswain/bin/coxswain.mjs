#!/usr/bin/env node
// The command, started quickly: plain JavaScript, so that nothing has to be stripped of types before the cache of what
// was compiled at an earlier start is there, and with a short cut to this repository's own modules.
import { enableCompileCache, flushCompileCache, getCompileCacheDir, registerHooks } from "node:module";
import { resolve } from "./own-modules.mjs";

enableCompileCache();
process.env.NODE_COMPILE_CACHE ??= getCompileCacheDir(); // for worker threads
registerHooks({ resolve });
await import("../src/commands/main.ts");
flushCompileCache(); // A server that is killed could not do it at its end.
