/** Builds every package, and packs them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../checks/tree.ts";
import { emitDeclarations } from "./declarations.ts";
import { publishedPackages } from "./packages.ts";
import { stagePackage } from "./stage.ts";

/** Where the packages stand, a folder for each as `npm publish` takes it. */
export const packagesDir = join(root, "dist/npm");
/** Where the tarballs of the packages stand. */
export const tarballsDir = join(root, "dist/tarballs");

/** Writes all packages to `packagesDir`, which it empties first. `repository`: its address, for a release. @throws Error naming what could not be built */
export async function buildPackages(repository?: string): Promise<void> {
  const emitted = join(root, "dist/declarations");
  emitDeclarations(emitted);
  rmSync(packagesDir, { recursive: true, force: true });
  for (const published of publishedPackages()) {
    const outDir = join(packagesDir, published.folder);
    await stagePackage(published, { emitted, outDir, ...(repository === undefined ? {} : { repository }) });
  }
}

/** Packs what stands in `packagesDir` as npm does. Returns the tarball of each package by name. @throws Error with npm's words */
export function packPackages(): Map<string, string> {
  rmSync(tarballsDir, { recursive: true, force: true });
  mkdirSync(tarballsDir, { recursive: true });
  const folders = publishedPackages().map(({ folder }) => join(packagesDir, folder));
  const args = ["pack", "--json", "--loglevel=error", "--pack-destination", tarballsDir, ...folders];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm could not pack: ${stderr}`);
  const packed = JSON.parse(stdout) as readonly { readonly name: string; readonly filename: string }[];
  return new Map(packed.map(({ name, filename }) => [name, join(tarballsDir, filename)]));
}
