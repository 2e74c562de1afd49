/**
 * Gives every package a version, and lets them depend on each other in it; package-lock.json follows.
 *
 * usage: node scripts/set-version.ts 0.2.0
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./checks/tree.ts";

const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/.test(version)) {
  console.error(`usage: npm run set-version -- 0.2.0; ${JSON.stringify(version)} is no version`);
  process.exit(1);
}
const { version: older } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
for (const path of ["package.json", ...globSync("packages/*/package.json", { cwd: root })]) {
  replaceIn(path, /^( {2}"version": )".*"/m, `$1"${version}"`);
  // Not every package depends on others.
  const text = readFileSync(join(root, path), "utf8");
  writeFileSync(join(root, path), text.replace(/^( {4}"@coxswain\/[a-z]+": )".*"/gm, `$1"${version}"`));
}
for (const path of ["pom.xml", "junit5/pom.xml", "executable/pom.xml", "example/pom.xml"])
  replaceIn(join("kits/java", path), ownVersionIn("<(version|coxswain\\.version)>", "<"), `<$1>${version}<`);
replaceIn("kits/python/pyproject.toml", ownVersionIn('^(version = ")', '"'), `$1${version}"`);
replaceIn("kits/python/src/coxswain/__init__.py", ownVersionIn('^(__version__ = ")', '"'), `$1${version}"`);
replaceIn("kits/go/example/go.mod", ownVersionIn("(coxswain\\.dev/coxswain v)", "$"), `$1${version}`);
const { status } = spawnSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;

/** The version of before, between what stands around it. */
function ownVersionIn(before: string, after: string): RegExp {
  return new RegExp(`${before}${RegExp.escape(older)}${after}`, "m");
}

function replaceIn(path: string, what: RegExp, by: string): void {
  const text = readFileSync(join(root, path), "utf8");
  // A kit that is left behind would be released in another version.
  if (text.search(what) === -1) throw new Error(`${path} has no version ${older}`);
  writeFileSync(join(root, path), text.replace(what, by));
}
