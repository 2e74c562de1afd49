/**
 * Publishes what `npm run build -- --repository URL` has built: every package, each after those that it depends on.
 * Refuses what no release may be: versions out of step, a version that the changelog does not have, no repository.
 *
 * usage: node scripts/publish.ts [--dry-run]
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packagesDir } from "./build/build-packages.ts";
import { publishedPackages } from "./build/packages.ts";
import { releaseProblems, type StagedManifest } from "./build/release.ts";
import { root } from "./checks/tree.ts";

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
const dryRun = values["dry-run"];
const folders = publishedPackages().map(({ folder }) => join(packagesDir, folder));
const manifests = folders.map((folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as StagedManifest);
const problems = releaseProblems(manifests, { changelog: readFileSync(join(root, "CHANGELOG.md"), "utf8"), dryRun });
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
for (const folder of folders) {
  const { status } = spawnSync("npm", ["publish", ...(dryRun ? ["--dry-run"] : []), folder], { cwd: root, stdio: "inherit" });
  // What is published stays: a second run goes on with the version after this one, or with what is missing by hand.
  if (status !== 0) process.exit(status ?? 1);
}
