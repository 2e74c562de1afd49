/** A folder that knows nothing of this repository, with what a user has installed there from the tarballs. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { root } from "../../scripts/checks/tree.ts";
import { type Ran, type RunOptions, run } from "../conformance/client-program.ts";
import { builtPackages } from "./built.ts";
import type { InstalledNode } from "./installed-node.ts";

export interface EmptyFolder {
  readonly path: string;
  /** Writes a file, with the folders above it. */
  write(path: string, text: string): void;
  /** Runs a program as a user without this repository does; by its path in the folder, or one of the machine's. */
  run(program: string, args: readonly string[], options?: Partial<RunOptions> & { readonly node?: InstalledNode }): Promise<Ran>;
}

export interface FolderOptions {
  /** Packages of ours, such as `coxswain`; those that they need are installed with them. */
  readonly packages?: readonly string[];
  /** What else is installed, from the registry: `{ vitest: "5.1.1" }`. */
  readonly others?: Readonly<Record<string, string>>;
  /** Further lines of its package.json. */
  readonly manifest?: Readonly<Record<string, unknown>>;
}

/** Outside of the repository; gone when the test ends. @throws Error with what npm printed */
export async function emptyFolder(t: Pick<TestContext, "after">, options: FolderOptions = {}): Promise<EmptyFolder> {
  const path = mkdtempSync(join(tmpdir(), "coxswain-empty-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const { packages = [], others = {}, manifest = {} } = options;
  const dependencies = { ...(await tarballsOf(packages)), ...others };
  const described = JSON.stringify({ name: "empty", private: true, type: "module", ...manifest, dependencies });
  if (Object.keys(dependencies).length > 0) cpSync(await installOf(described), path, { recursive: true, verbatimSymlinks: true });
  const folder = folderAt(path);
  folder.write("package.json", described);
  return folder;
}

const folderAt = (path: string): EmptyFolder => ({
  path,
  write(file, text) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  },
  run(program, args, { node, env, ...more } = {}) {
    return run(program, args, { cwd: path, timeoutMs: 2 * 60_000, ...more, env: { ...strangersEnvironment(node), ...env } });
  },
});

/** What npm installs for a package.json, kept as long as the packages are the same: several tests begin with the same. */
async function installOf(described: string): Promise<string> {
  const { key } = await builtPackages();
  const installs = join(root, ".cache", "installs");
  const kept = join(installs, key);
  const folder = join(kept, createHash("sha256").update(described).digest("hex").slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(kept, { recursive: true });
  for (const older of readdirSync(installs)) if (older !== key) rmSync(join(installs, older), { recursive: true, force: true });
  // Below the repository npm would look at its package.json, too.
  const unfinished = folderAt(mkdtempSync(join(tmpdir(), "coxswain-install-")));
  try {
    unfinished.write("package.json", described);
    const args = ["install", "--prefer-offline", "--no-audit", "--no-fund"];
    const { code, stdout, stderr } = await unfinished.run("npm", args, { timeoutMs: 5 * 60_000 });
    if (code !== 0) throw new Error(`npm could not install ${described}:\n${stdout}${stderr}`);
    const copy = mkdtempSync(join(kept, "unfinished-"));
    cpSync(unfinished.path, copy, { recursive: true, verbatimSymlinks: true });
    // Of two that install the same at once, one is second; what is there is as good.
    if (existsSync(folder)) rmSync(copy, { recursive: true });
    else renameSync(copy, folder);
  } finally {
    rmSync(unfinished.path, { recursive: true, force: true });
  }
  return folder;
}

/** They are in no registry, so those that they depend on are named, too. */
async function tarballsOf(names: readonly string[]): Promise<Record<string, string>> {
  if (names.length === 0) return {};
  const { packages } = await builtPackages();
  const tarballs: Record<string, string> = {};
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const published = packages.get(name);
    if (published === undefined || name in tarballs) continue;
    tarballs[name] = `file:${published.tarball}`;
    waiting.push(...published.dependencies);
  }
  return Object.fromEntries(Object.entries(tarballs).sort());
}

/** What this process has in its environment, less what comes from the repository and from the programs that run its tests. */
export function strangersEnvironment(node?: InstalledNode): Record<string, string | undefined> {
  const own = Object.keys(process.env).filter((name) => /^(npm_|NODE_|COXSWAIN_|KUBECONFIG$|INIT_CWD$)/i.test(name));
  const paths = (process.env.PATH ?? "").split(delimiter).filter((path) => !path.startsWith(root) && !path.includes("node_modules"));
  const path = [...(node === undefined ? [] : [node.bin]), ...paths].join(delimiter);
  return { ...Object.fromEntries(own.map((name) => [name, undefined])), PATH: path };
}
