/** `coxswain envtest-assets`: the folder that `KUBEBUILDER_ASSETS` names, with programs that start this coxswain. */
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { readIfThere } from "../access/private-file.ts";
import { baseCommand, type Output } from "../options/base-command.ts";
import { ownCommand } from "../process/own-command.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { parentVariable } from "./end-with-parent.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Writes the folder and prints its path, for `KUBEBUILDER_ASSETS=$(coxswain envtest-assets)`. @throws StartError */
export function runEnvtestAssets(args: readonly string[], env: Environment): void {
  const command = parseCommandLine((output) => envtestAssetsCommand(output).parse(args, { from: "user" }));
  if (command === undefined) return;
  const dir = resolve(command.args[0] ?? defaultDir(env));
  const { kubectl } = writeAssets(dir, ownCommand(), env.PATH);
  if (kubectl === undefined) process.stderr.write("coxswain: there is no kubectl on the PATH; only suites that run kubectl miss it\n");
  process.stdout.write(`${dir}\n`);
}

export const envtestAssetsCommand = (output: Output): Command =>
  baseCommand("envtest-assets", output)
    .description("Write what controller-runtime's envtest starts, kube-apiserver and etcd, and print the folder for KUBEBUILDER_ASSETS.")
    .argument("[dir]", "where (default: in the cache of this user)");

/** One for each version: what a suite has started does not change below it. */
const defaultDir = ({ XDG_CACHE_HOME: home }: Environment): string =>
  join(home !== undefined && isAbsolute(home) ? home : join(homedir(), ".cache"), "coxswain", `envtest-${manifest.version}`);

const mark = "# Written by coxswain";

/**
 * `own`: the words that start this coxswain. kubectl becomes a link to the one on `path`, unless one is there already.
 * @throws StartError for a folder that cannot be written, or that has programs of others in it
 */
export function writeAssets(dir: string, own: readonly string[], path: string | undefined): { readonly kubectl: string | undefined } {
  try {
    mkdirSync(dir, { recursive: true });
    for (const program of ["kube-apiserver", "etcd"]) writeScript(join(dir, program), program, own);
    const link = join(dir, "kubectl");
    if (existsSync(link)) return { kubectl: link };
    const kubectl = findOnPath("kubectl", path);
    if (kubectl !== undefined && !isLink(link)) symlinkSync(kubectl, link);
    return { kubectl };
  } catch (error) {
    throw error instanceof StartError ? error : startErrorOf("cannot write the programs that envtest starts", error);
  }
}

/** The script is replaced by what it starts, so that signals reach it; it passes on the id of its parent, which may exit at any time. */
function writeScript(file: string, program: string, own: readonly string[]): void {
  const present = readIfThere(file);
  if (present !== undefined && !present.includes(mark))
    throw new StartError(`${file} exists and coxswain did not write it; name another folder`);
  const words = [...own, program].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `#!/bin/sh\n${mark} ${manifest.version}.\n${parentVariable}=$PPID exec ${words} "$@"\n`);
  chmodSync(next, 0o755);
  renameSync(next, file);
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function findOnPath(program: string, path = ""): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((dir) => join(dir, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
