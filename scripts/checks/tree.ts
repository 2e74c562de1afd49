/** The sources of the repository as the checks see them. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest, Tree } from "./layers.ts";

export const root = dirname(dirname(import.meta.dirname));

const handWritten = ["packages/*/src/**/*.ts", "tests/**/*.ts", "scripts/**/*.ts", "benchmarks/**/*.ts"];
/** Written by a script from data: as long as the data is. */
const generated = "packages/api/src/types/";

export function readTree(): Tree {
  const paths = globSync(handWritten, { cwd: root })
    .filter((path) => !path.startsWith(generated))
    .sort();
  const manifests = globSync("packages/*/package.json", { cwd: root }).map(
    (path) => [path.split("/")[1] ?? "", readManifest(path)] as const,
  );
  return { files: new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")])), manifests: new Map(manifests) };
}

function readManifest(path: string): Manifest {
  const { dependencies = {}, exports = {} } = JSON.parse(readFileSync(join(root, path), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly exports?: Readonly<Record<string, unknown>>;
  };
  return { dependencies: new Set(Object.keys(dependencies)), exports: new Set(Object.keys(exports)) };
}
