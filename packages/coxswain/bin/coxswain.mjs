#!/usr/bin/env node
// The command, started quickly: from the bundle that `npm start` has made, or else from the sources. Plain JavaScript, so that
// nothing has to be stripped of types before the cache of what was compiled at an earlier start is there, and for the sources
// with a short cut to this repository's own modules.
import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { freshBundle, root } from "./command-bundle.mjs";
import { compileSooner, keepCompiledCode } from "./compiled-code.mjs";
import { resolve } from "./own-modules.mjs";

const args = process.argv.slice(2);
const bundle = isForSources() ? undefined : (process.env.COXSWAIN_BUNDLE ?? freshBundle());
delete process.env.COXSWAIN_BUNDLE; // Set by `npm start`, which has just looked, for this process alone.
compileSooner();
if (bundle === undefined) {
  keepCompiledCode(args, join(root, ".cache", "compiled"));
  registerHooks({ resolve });
  await import("../src/commands/main.ts");
} else {
  keepCompiledCode(args, join(bundle, "compiled"));
  await createRequire(import.meta.url)(join(bundle, "command.js")).runCommand(args);
}

/** Profiles, coverage and a debugger show what somebody has written; tests try it. */
function isForSources() {
  const { COXSWAIN_FROM_SOURCES, NODE_V8_COVERAGE, NODE_OPTIONS = "" } = process.env;
  if (COXSWAIN_FROM_SOURCES === "1" || NODE_V8_COVERAGE !== undefined) return true;
  return [...process.execArgv, NODE_OPTIONS].some((options) => /--(?:inspect|cpu-prof|heap-prof|enable-source-maps)/.test(options));
}
