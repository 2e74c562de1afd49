/**
 * Packs the Go kit as a module proxy serves it: a folder that GOPROXY=file://… names, or that a web server hands out.
 * @see https://go.dev/ref/mod#goproxy-protocol
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../checks/tree.ts";
import { zip } from "./zip.ts";

/** Where the sources of the Go kit stand. */
export const goKit = join(root, "kits/go");
/** Where the proxy's folder stands. */
export const goProxyDir = join(root, "dist/go");

export interface GoModule {
  readonly path: string;
  /** `v0.1.0` */
  readonly version: string;
}

/** Writes the module to `goProxyDir`, which it empties first. `suffix` makes the version a pre-release. */
export function packGoModule(suffix = ""): GoModule {
  const path = /^module (\S+)$/m.exec(readFileSync(join(goKit, "go.mod"), "utf8"))?.[1] ?? "";
  const { version: released } = JSON.parse(readFileSync(join(root, "packages/coxswain/package.json"), "utf8")) as {
    readonly version: string;
  };
  const version = `v${released}${suffix}`;
  const versions = join(goProxyDir, path, "@v");
  rmSync(goProxyDir, { recursive: true, force: true });
  mkdirSync(versions, { recursive: true });
  const entries = moduleFiles().map((file) => ({ path: `${path}@${version}/${file}`, bytes: readFileSync(join(goKit, file)) }));
  writeFileSync(join(versions, "list"), `${version}\n`);
  writeFileSync(join(versions, `${version}.info`), JSON.stringify({ Version: version }));
  writeFileSync(join(versions, `${version}.mod`), readFileSync(join(goKit, "go.mod")));
  writeFileSync(join(versions, `${version}.zip`), zip(entries));
  return { path, version };
}

/** What is in the module changes its name in caches: Go believes that a version never changes. */
export function goModuleDigest(): string {
  const hash = createHash("sha256");
  for (const file of moduleFiles())
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(goKit, file)))
      .update("\0");
  return hash.digest("hex").slice(0, 12);
}

/** Everything but tests and what belongs to modules below it. */
function moduleFiles(): string[] {
  const files = globSync("**/*", { cwd: goKit, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(goKit.length + 1));
  return files.filter((file) => !file.endsWith("_test.go") && !isBelowAnotherModule(dirname(file))).sort();
}

const isBelowAnotherModule = (folder: string): boolean =>
  folder !== "." && (existsSync(join(goKit, folder, "go.mod")) || isBelowAnotherModule(dirname(folder)));
