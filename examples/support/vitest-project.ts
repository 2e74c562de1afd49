/** A project that has Vitest, as a user's would, with one example in it: Vitest is no dependency of this repository. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { installedFromNpm } from "../../tests/conformance/client-program.ts";
import { folder } from "./output.ts";

export interface VitestProject {
  readonly path: string;
  /** The program. */
  readonly vitest: string;
  remove(): void;
}

/** `missing`: why there is none. */
export async function vitestProject(example: string): Promise<VitestProject | { readonly missing: string }> {
  const root = join(folder, "..");
  const library = await installedFromNpm("vitest", join(root, "tests/packages/vitest"));
  if ("missing" in library) return library;
  const cache = join(root, ".cache");
  mkdirSync(cache, { recursive: true });
  const path = mkdtempSync(join(cache, "example-"));
  mkdirSync(join(path, "node_modules"));
  symlinkSync(join(library.folder, "node_modules/vitest"), join(path, "node_modules/vitest"));
  for (const name of ["coxswain", "@coxswain"]) symlinkSync(join(root, "node_modules", name), join(path, "node_modules", name));
  copyFileSync(join(folder, example), join(path, example));
  return {
    path,
    vitest: join(library.folder, "node_modules/vitest/vitest.mjs"),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
