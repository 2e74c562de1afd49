#!/usr/bin/env node
// The command as it is installed: says which Node it needs before anything is loaded that an older one could not read.
import { createRequire } from "node:module";
import { compileSooner, keepCompiledCode } from "./compiled-code.mjs";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(`coxswain needs Node 22.15 or newer, and this is Node ${process.versions.node}.\n`);
  process.exit(1);
}
// Node 22 and 24 warn that their SQLite is new: nobody who runs the command can do anything about it.
const { emitWarning } = process;
process.emitWarning = (warning, ...more) => {
  if (more[0] !== "ExperimentalWarning" || !String(warning).startsWith("SQLite ")) emitWarning.call(process, warning, ...more);
};
const args = process.argv.slice(2);
keepCompiledCode(args);
compileSooner();
await createRequire(import.meta.url)("../dist/command/command.js").runCommand(args);
