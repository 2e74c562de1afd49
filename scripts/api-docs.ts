/**
 * Builds the reference of all packages' entry points into `dist/api`, or into the folder that is named. TypeDoc needs a
 * TypeScript older than the repository's own, so both stand in a lock file of their own (`scripts/api-docs`) and are
 * installed into `.cache` when this runs. Fails on any warning.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { root } from "./checks/tree.ts";

const settings = join(root, "scripts", "api-docs");
const installed = join(root, ".cache", "api-docs");

install();
const typedoc = join(installed, "node_modules", "typedoc", "bin", "typedoc");
const entryPoints = entries().flatMap((path) => ["--entryPoints", path]);
const out = resolve(process.argv[2] ?? join(root, "dist", "api"));
process.exitCode = run(process.execPath, [typedoc, "--options", join(settings, "typedoc.json"), "--out", out, ...entryPoints], root);

/** Each package's exports, as its package.json has them. */
function entries(): string[] {
  return globSync("packages/*/package.json", { cwd: root })
    .sort()
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as { readonly exports: Readonly<Record<string, Entry>> };
      return Object.values(manifest.exports).map((entry) => join(root, dirname(path), typeof entry === "string" ? entry : entry.types));
    });
}

type Entry = string | { readonly types: string };

function install(): void {
  const lock = readFileSync(join(settings, "package-lock.json"), "utf8");
  const copy = join(installed, "package-lock.json");
  const isThere = existsSync(copy) && readFileSync(copy, "utf8") === lock && existsSync(join(installed, "node_modules", "typedoc"));
  if (isThere) return;
  mkdirSync(installed, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(settings, file), join(installed, file));
  const status = run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], installed);
  if (status !== 0) throw new Error("failed to install TypeDoc; see above");
}

function run(program: string, args: readonly string[], cwd: string): number {
  const { status, error } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (error !== undefined) throw error;
  return status ?? 1;
}
