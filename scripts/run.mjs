// Runs a TypeScript file of this repository on a machine that has only npm and Node 20 or newer: installs what the
// lockfile names when that has changed, then hands over to the Node of the lockfile. usage: node scripts/run.mjs FILE ARGS…
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const oldestNode = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

installWhatChanged();
handOver(nodeToUse(), process.argv.slice(2));

function installWhatChanged() {
  const installed = join(root, "node_modules", ".installed-lock");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return;
  process.stderr.write("Installing dependencies…\n");
  // Not `npm ci`: it refuses a lockfile that does not know the packages of platforms which some registries lack.
  const args = [
    "install",
    "--no-save",
    "--ignore-scripts",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const npm = process.env.npm_execpath;
  // What npm prints goes to standard error: standard output belongs to the program.
  const options = { cwd: root, stdio: ["ignore", 2, 2] };
  const result = npm === undefined ? spawnSync("npm", args, options) : spawnSync(process.execPath, [npm, ...args], options);
  if (result.error !== undefined) fail(`npm did not start: ${result.error.message}`);
  if (result.status !== 0) fail("npm could not install the dependencies; see above.");
  writeFileSync(installed, wanted);
}

function nodeToUse() {
  const own = join(root, "node_modules", ".bin", "node");
  if (existsSync(own)) return own;
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return process.execPath;
  return fail(`No Node came with the dependencies for ${process.platform} ${process.arch}; please install Node ${oldestNode} or newer.`);
}

function handOver(node, args) {
  const env = { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, ".cache", "compile") };
  const child = spawn(node, args, { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`${node} did not start: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
