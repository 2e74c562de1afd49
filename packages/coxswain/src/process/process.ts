/** What every command has of its process. */
import { CommanderError } from "commander";
import type { Output } from "../options/base-command.ts";

/** Undefined when there is nothing more to do: help was asked for, or something was not understood. */
export function parseCommandLine<O>(parse: (output: Output) => O): O | undefined {
  const print = (text: string): void => void process.stdout.write(text);
  const printError = (text: string): void => void process.stderr.write(text);
  try {
    return parse({ print, printError });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode;
    return undefined;
  }
}

/** Operating system and architecture by the names that Go has for them. */
export const platformName = (): string => `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
