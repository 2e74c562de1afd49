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
for (const path of ["package.json", ...globSync("packages/*/package.json", { cwd: root })]) {
  const text = readFileSync(join(root, path), "utf8");
  writeFileSync(
    join(root, path),
    text.replace(/^( {2}"version": )".*"/m, `$1"${version}"`).replace(/^( {4}"@coxswain\/[a-z]+": )".*"/gm, `$1"${version}"`),
  );
}
const { status } = spawnSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
