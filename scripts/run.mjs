// Runs a TypeScript file of this repository on a machine that has only npm and Node 20 or newer: installs what the
// lockfile names when that has changed, then hands over to the Node of the lockfile. usage: node scripts/run.mjs FILE ARGS…
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const oldestNode = 24;
/** As npm packs them; the lockfile knows no sizes. 57 are the Node, 35 the linter, 20 the compiler and the bundler. */
const downloadMegabytes = 120;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

await installWhatChanged();
const [file = "", ...args] = process.argv.slice(2);
const isCommand = resolve(file) === join(root, "packages", "coxswain", "bin", "coxswain.mjs");
handOver(nodeToUse(), isCommand ? await commandSettings() : sourceSettings());

/** For what runs from its sources. */
function sourceSettings() {
  return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, ".cache", "compile") };
}

/** The command is bundled when its sources have changed, and knows itself where to keep what is compiled of it. */
async function commandSettings() {
  const { freshBundle } = await import("../packages/coxswain/bin/command-bundle.mjs");
  let bundle = freshBundle();
  if (bundle === undefined) {
    const child = spawn(nodeToUse(), [join(root, "scripts", "build", "command", "make-bundle.ts")], { stdio: ["ignore", 2, 2] });
    const [code] = await once(child, "exit");
    if (code !== 0) process.stderr.write("The command could not be bundled, see above; it starts from its sources, which takes longer.\n");
    bundle = freshBundle();
  }
  return bundle === undefined ? {} : { COXSWAIN_BUNDLE: bundle };
}

async function installWhatChanged() {
  const installed = join(root, "node_modules", ".installed-lock");
  const lockfile = readFileSync(join(root, "package-lock.json"));
  const wanted = createHash("sha256").update(lockfile).digest("hex");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return;
  const progress = showProgress(`Installing ${packagesFor(JSON.parse(lockfile.toString()))} packages, up to ${downloadMegabytes} MB`);
  // Not `npm ci`, which begins with taking away all that is there.
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
  const child = npm === undefined ? spawn("npm", args, options) : spawn(process.execPath, [npm, ...args], options);
  const [code, problem] = await once(child, "exit").catch((error) => [undefined, error]);
  progress.end();
  if (code === undefined) fail(`npm did not start: ${problem.message}`);
  if (code !== 0) fail("npm could not install the dependencies; see above.");
  writeFileSync(installed, wanted);
}

/** Those that npm fetches on this platform. */
function packagesFor({ packages }) {
  const fits = (wanted, own) => wanted === undefined || [wanted].flat().includes(own);
  const own = ([path, { link }]) => path === "" || link === true || !path.includes("node_modules/");
  return Object.entries(packages).filter(
    (entry) => !own(entry) && fits(entry[1].os, process.platform) && fits(entry[1].cpu, process.arch) && fits(entry[1].libc, "glibc"),
  ).length;
}

/** On a terminal the seconds go by behind the text, because npm says nothing until it is done. */
function showProgress(text) {
  const begunAt = performance.now();
  const seconds = () => Math.round((performance.now() - begunAt) / 1000);
  process.stderr.write(`${text}…`);
  const timer = process.stderr.isTTY ? setInterval(() => process.stderr.write(`\r${text}… ${seconds()} s`), 1000) : undefined;
  return {
    end() {
      clearInterval(timer);
      process.stderr.write(process.stderr.isTTY ? `\r${text}… ${seconds()} s\n` : ` ${seconds()} s\n`);
    },
  };
}

function nodeToUse() {
  const own = join(root, "node_modules", ".bin", "node");
  if (existsSync(own)) return own;
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return process.execPath;
  return fail(`No Node came with the dependencies for ${process.platform} ${process.arch}; please install Node ${oldestNode} or newer.`);
}

function handOver(node, settings) {
  const child = spawn(node, [file, ...args], { stdio: "inherit", env: { ...process.env, ...settings } });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`${node} did not start: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
