/**
 * Builds the documentation site into `dist/site`, or where `--out` says: the pages of the repository by VitePress, and the reference of the packages by
 * TypeDoc. VitePress stands in a lock file of its own (`site`) and is installed into `.cache` when this runs. Fails on a dead link.
 *
 * usage: node scripts/site.ts [--source URL] [--out DIR] [--no-api]
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./checks/tree.ts";
import { readPages } from "./site/pages.ts";
import { stagePages } from "./site/stage.ts";

const { values } = parseArgs({
  options: { source: { type: "string" }, out: { type: "string" }, api: { type: "boolean", default: true } },
  allowNegative: true,
});
const installed = join(root, ".cache", "site");
const out = resolve(values.out ?? join(root, "dist", "site"));

install();
stagePages(readPages(), installed, { source: values.source });
rmSync(out, { recursive: true, force: true });
const vitepress = join(installed, "node_modules", "vitepress", "bin", "vitepress.js");
run(process.execPath, [vitepress, "build", join(installed, "pages"), "--outDir", out]);
if (values.api) run(process.execPath, [join(root, "scripts", "api-docs.ts"), join(out, "api")]);
console.log(`built ${out}`);

function install(): void {
  const lock = readFileSync(join(root, "site", "package-lock.json"), "utf8");
  const copy = join(installed, "package-lock.json");
  if (existsSync(copy) && readFileSync(copy, "utf8") === lock && existsSync(join(installed, "node_modules", "vitepress"))) return;
  mkdirSync(installed, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(root, "site", file), join(installed, file));
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], installed);
}

/** @throws Error when the program fails */
function run(program: string, args: readonly string[], cwd = root): void {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
}
