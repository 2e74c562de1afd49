/**
 * The packages as they are published, for whatever tests them: built and packed once for each state of the checkout, in `dist`.
 * Two processes never build at once; the second one finds what the first has made.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { packagesDir, tarballsDir } from "../../scripts/build/build-packages.ts";
import { publishedPackages } from "../../scripts/build/packages.ts";
import { root } from "../../scripts/checks/tree.ts";
import { run } from "../conformance/client-program.ts";

export interface BuiltPackage {
  /** `@coxswain/client` */
  readonly name: string;
  readonly version: string;
  /** As `npm publish` takes it. */
  readonly folder: string;
  readonly tarball: string;
  /** The names of what it depends on. */
  readonly dependencies: readonly string[];
}

export interface Built {
  /** The same as long as no file has changed that a build reads. */
  readonly key: string;
  /** By name. */
  readonly packages: ReadonlyMap<string, BuiltPackage>;
}

/** All packages, built from what the checkout has now. @throws Error with what the build printed */
export async function builtPackages(): Promise<Built> {
  const key = await buildOnce({ folder: packagesDir, args: ["--pack"], files: packages().map(({ tarball }) => tarball) });
  return { key, packages: new Map(packages().map((built) => [built.name, built])) };
}

export interface Build {
  /** Where it stands. */
  readonly folder: string;
  /** Of `scripts/build.ts`. */
  readonly args: readonly string[];
  /** What has to be there afterwards. */
  readonly files: readonly string[];
}

/** Builds unless that has been done from what the checkout has now; returns its key. @throws Error with what the build printed */
export async function buildOnce({ folder, args, files }: Build): Promise<string> {
  using _ = await onlyProcess();
  const stamp = join(folder, ".built-from");
  const key = checkoutKey();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key && files.every((file) => existsSync(file))) return key;
  const { code, stdout, stderr } = await run(process.execPath, ["scripts/build.ts", ...args], { cwd: root, timeoutMs: 5 * 60_000 });
  if (code !== 0) throw new Error(`nothing was built by ${args.join(" ")}:\n${stdout}${stderr}`);
  writeFileSync(stamp, key);
  return key;
}

const packages = (): BuiltPackage[] =>
  publishedPackages().map(({ folder, manifest: { name, version, dependencies = {} } }) => {
    const tarball = join(tarballsDir, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    return { name, version, folder: join(packagesDir, folder), tarball, dependencies: Object.keys(dependencies) };
  });

/** Whatever decides what a build makes. */
const inputs = [
  "packages/*/{src,bin}/**/*",
  "packages/*/{package.json,README.md}",
  "scripts/{build.ts,build/**/*,checks/tree.ts}",
  "{package.json,package-lock.json,tsconfig.base.json,CHANGELOG.md,LICENSE}",
];

function checkoutKey(): string {
  const hash = createHash("sha256");
  const files = globSync(inputs, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"));
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(path.slice(root.length)).update("\0").update(readFileSync(path)).update("\0");
  return hash.digest("hex");
}

/**
 * Waits until no other process is in here. A lock of SQLite's, because the system takes it back from a process that is killed.
 */
async function onlyProcess(): Promise<Disposable> {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const lock = new DatabaseSync(join(root, ".cache", "build-lock.db"), { timeout: 5 * 60_000 });
  lock.exec("BEGIN EXCLUSIVE");
  return { [Symbol.dispose]: () => lock.close() };
}
