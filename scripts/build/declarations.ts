/** Makes the type declarations of all packages and gives each those that its entry points lead to. */
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { root } from "../checks/tree.ts";
import { entrySources, type Package } from "./packages.ts";

/** Runs the compiler once for all: `packages/api/src/x.ts` becomes `<outDir>/api/src/x.d.ts`. @throws Error with what it printed */
export function emitDeclarations(outDir: string): void {
  rmSync(outDir, { recursive: true, force: true });
  const args = ["-p", "scripts/build/tsconfig.json", "--outDir", outDir];
  const { status, stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the declarations were not made:\n${stdout}`);
}

/**
 * Copies to `types` below `outDir` what the entry points of a package lead to.
 * Returns the sources of it, as paths from the package's folder.
 */
export function copyDeclarations({ folder, manifest }: Package, emitted: string, outDir: string): string[] {
  const from = join(emitted, folder, "src");
  const waiting = entrySources(manifest).flatMap(([, source]) =>
    globSync(source.slice("./src/".length), { cwd: join(root, "packages", folder, "src") }),
  );
  const copied = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (copied.has(path)) continue;
    copied.add(path);
    waiting.push(...copyDeclaration(path, from, join(outDir, "types")));
  }
  return [...copied].map((path) => posix.join("src", path));
}

/** What a declaration imports from beside it, by `import … from` and by `import("…")`. */
const relativeImport = /(?<=(?:\bfrom |\bimport |\bimport\())"(\.[^"]*)\.ts"/g;

/** What `using` takes, for projects that compile for an older language. */
const disposables = /\b(Async)?Disposable\b|\[Symbol\.(asyncDispose|dispose)\]/;
const disposablesLibrary = '/// <reference lib="esnext.disposable" />\n';

/** Returns the sources of the declarations that it imports. */
function copyDeclaration(path: string, from: string, to: string): string[] {
  const name = path.replace(/\.ts$/, ".d.ts");
  const target = join(to, name);
  const text = readFileSync(join(from, name), "utf8");
  mkdirSync(dirname(target), { recursive: true });
  const library = disposables.test(text) ? disposablesLibrary : "";
  writeFileSync(target, library + text.replace(relativeImport, '"$1.js"'));
  const map = JSON.parse(readFileSync(join(from, `${name}.map`), "utf8")) as { readonly mappings: string };
  const source = relative(dirname(target), join(to, "..", "src", path));
  // A line more at the top is a semicolon more.
  const mappings = library === "" ? map.mappings : `;${map.mappings}`;
  writeFileSync(`${target}.map`, JSON.stringify({ ...map, sourceRoot: "", sources: [source], mappings }));
  return Array.from(text.matchAll(relativeImport), ([, specifier]) => posix.join(dirname(path), `${specifier}.ts`));
}
