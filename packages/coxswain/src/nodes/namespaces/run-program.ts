/** Programs of the system that set up networks and containers. */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** A program that did not do what it was asked to. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

/** System programs stand in folders that not every user's PATH has. */
const folders = (): readonly string[] => [...(process.env.PATH ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"];

export const systemEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: folders().join(delimiter) });

/** Undefined where it is not installed. */
export const programPath = (name: string): string | undefined =>
  folders()
    .map((folder) => join(folder, name))
    .find(isExecutable);

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What it prints. @throws ProgramError */
export function runProgram([program = "", ...args]: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "pipe", env: systemEnvironment() });
    let [printed, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    // It may end without having read all.
    child.stdin.on("error", () => undefined).end(input);
    child.once("error", (error) => reject(new ProgramError(`${program}: ${error.message}`)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(printed);
      else reject(new ProgramError(`${[program, ...args].join(" ")}: ${errors.trim() || `it ended with ${code ?? signal}`}`));
    });
  });
}

/** What runs a program in a network namespace, and else where it is. */
export const inNamespace = (namespace: string): readonly string[] => ["nsenter", `--net=/run/netns/${namespace}`];
