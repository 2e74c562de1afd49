/** The sources of the repository as the checks see them. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { Manifest, Tree } from "./layers.ts";

export const root = dirname(dirname(import.meta.dirname));

const handWritten = ["packages/*/src/**/*.ts", "tests/**/*.ts", "scripts/**/*.ts", "benchmarks/**/*.ts", "examples/**/*.ts"];
/** Written by a script from data: as long as the data is. */
const generated = ["packages/api/src/types/", "packages/types/src/"];

export function readTree(): Tree {
  const paths = globSync(handWritten, { cwd: root })
    .filter((path) => !generated.some((folder) => path.startsWith(folder)))
    .sort();
  const manifests = globSync("packages/*/package.json", { cwd: root }).map(
    (path) => [path.split("/")[1] ?? "", readManifest(path)] as const,
  );
  return { files: new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")])), manifests: new Map(manifests) };
}

function readManifest(path: string): Manifest {
  const { dependencies = {}, exports = {} } = JSON.parse(readFileSync(join(root, path), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly exports?: Readonly<Record<string, string | { readonly types: string }>>;
  };
  const targets = Object.values(exports).map((target) => (typeof target === "string" ? target : target.types));
  const entryPoints = targets.map((target) => posix.normalize(posix.join(posix.dirname(path), target)));
  return { dependencies: new Set(Object.keys(dependencies)), exports: new Set(Object.keys(exports)), entryPoints };
}
