/**
 * Makes the bundle that `packages/coxswain/bin/coxswain.mjs` starts from, in `.cache/command`, where there is none of these
 * sources. Any number of processes may do so at once. usage: node scripts/build/command/make-bundle.ts
 */
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { root } from "../../checks/tree.ts";
import { pageSources } from "../page.ts";
import { assets } from "./bundle-command.ts";
import { bundleInFiles } from "./bundle-in-files.ts";

/** No types: it is loaded before anything that could read them. */
const reader: string = "../../../packages/coxswain/bin/command-bundle.mjs";

interface Reader {
  readonly bundlesFolder: string;
  stampOf(path: string): string | undefined;
  freshBundle(): string | undefined;
}

const { bundlesFolder, stampOf, freshBundle } = (await import(reader)) as Reader;
/** Servers that run load parts of the bundle that they were started from when they need them. */
const keptBundles = 4;

if (freshBundle() === undefined) await makeBundle();

async function makeBundle(): Promise<void> {
  if (!isWritable()) return;
  const scratch = mkdtempSync(join(bundlesFolder, "scratch-"));
  using _ = { [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
  const startedAt = Date.now();
  const made = join(scratch, "made");
  const inputs = inputsOf(await bundleInFiles(made));
  // What has changed meanwhile may be in it as it was or as it is; the next start makes another.
  if (inputs.some((path) => statSync(join(root, path)).mtimeMs >= startedAt)) return;
  const folder = contentHash(made);
  const kept = join(bundlesFolder, folder);
  if (!existsSync(kept)) moveUnlessThere(made, kept);
  const current = join(scratch, "current.json");
  writeFileSync(current, JSON.stringify({ folder, inputs: Object.fromEntries(inputs.map((path) => [path, stampOf(path)])) }));
  renameSync(current, join(bundlesFolder, "current.json"));
  removeOld(folder);
}

/** Where a clone is only to be read, each start is from the sources. */
function isWritable(): boolean {
  try {
    mkdirSync(bundlesFolder, { recursive: true });
    accessSync(bundlesFolder, constants.W_OK);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EROFS" || code === "EACCES" || code === "EPERM") return false;
    throw error;
  }
}

/** What the bundle follows from: its modules, what says where they are found, and how it is made. The lockfile stands for what it names. */
function inputsOf(modules: readonly string[]): string[] {
  const files = [...modules.filter((id) => !/^\0|\/node_modules\//.test(id)), ...assets(), ...pageSources()].map((path) =>
    relative(root, path),
  );
  const others = globSync(["package-lock.json", "packages/*/package.json", "scripts/build/*.ts", "scripts/build/command/*.ts"], {
    cwd: root,
  });
  return [...new Set([...files, ...others])].sort();
}

function contentHash(folder: string): string {
  const hash = createHash("sha256");
  for (const name of globSync("*", { cwd: folder }).sort()) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

function moveUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(join(to, "command.js"))) throw error; // Another process was faster.
  }
}

function removeOld(current: string): void {
  const others = globSync("[0-9a-f]*/command.js", { cwd: bundlesFolder })
    .map((path) => path.replace("/command.js", ""))
    .filter((name) => name !== current);
  const madeAt = new Map(others.map((name) => [name, statSync(join(bundlesFolder, name, "command.js")).mtimeMs]));
  others.sort((a, b) => (madeAt.get(b) ?? 0) - (madeAt.get(a) ?? 0));
  for (const name of others.slice(keptBundles - 1)) rmSync(join(bundlesFolder, name), { recursive: true, force: true });
}
