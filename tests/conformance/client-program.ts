/**
 * What the tests of clients in other languages share: a client library that is installed once, and a program that prints one line for
 * each check.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** Beside what this process has; undefined takes away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** Code -1 when the program is missing or was killed. */
export function run(program: string, args: readonly string[], { cwd, env, timeoutMs }: RunOptions): Promise<Ran> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 64 << 20 };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code: Number.isInteger(code) ? code : -1, stdout, stderr: stderr === "" && error !== null ? error.message : stderr });
    });
  });
}

export interface Library {
  readonly name: string;
  /** Whatever decides what gets installed: a lock file, and the version of the language. */
  readonly inputs: readonly string[];
  /** Fills the folder. */
  install(folder: string): Promise<Ran>;
}

export type Installed = { readonly folder: string } | { readonly missing: string };

/** Where what takes long to install or build outlives a checkout: `$XDG_CACHE_HOME` or `~/.cache`. */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "coxswain-conformance");

/** Where a library is once it was installed. */
export function folderOf({ name, inputs }: Library): string {
  const hash = createHash("sha256").update(inputs.join("\0")).digest("hex").slice(0, 16);
  return join(cacheFolder, `${name}-${hash}`);
}

/** Installs in the cache folder, where the next run with the same inputs finds it. */
export async function installed(library: Library): Promise<Installed> {
  const { name, install } = library;
  const folder = folderOf(library);
  if (existsSync(folder)) return { folder };
  mkdirSync(cacheFolder, { recursive: true });
  const unfinished = mkdtempSync(join(cacheFolder, "unfinished-"));
  const { code, stderr } = await install(unfinished);
  if (code !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    const lines = stderr.trim().split("\n");
    return { missing: `${name} cannot be installed here: ${lines.find((line) => /error/i.test(line)) ?? lines.at(-1)}` };
  }
  // Of two runs that install at once, one is second; what is there is as good.
  if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true });
  else renameSync(unfinished, folder);
  return { folder };
}

/** What package.json and package-lock.json in a folder say, and nothing newer; `more` are further options of `npm install`. */
export const installedFromNpm = (name: string, source: string, more: readonly string[] = []): Promise<Installed> =>
  installed({
    name,
    inputs: [readBeside(source, "package-lock.json")],
    install(folder) {
      for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(source, file), join(folder, file));
      const args = ["ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", ...more];
      return run("npm", args, { cwd: folder, timeoutMs: 5 * 60_000 });
    },
  });

/** Each line is `ok NAME` or a failure. */
export function assertAllOk({ code, stdout, stderr }: Ran, atLeast: number): void {
  const lines = stdout.split("\n").filter((line) => line !== "");
  const failures = lines.filter((line) => !line.startsWith("ok "));
  assert.deepEqual({ failures, code }, { failures: [], code: 0 }, `${failures.join("\n")}\n${stderr}`);
  assert.ok(lines.length >= atLeast, `only ${lines.length} checks ran`);
}

/** The lock file of a library, beside its program. */
export const readBeside = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");
