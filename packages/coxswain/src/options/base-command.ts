/** What every command begins with. */
import { Command } from "commander";
import type { SubcommandName } from "./subcommands.ts";

/** Where what was asked for goes, and what is wrong. */
export interface Output {
  print(text: string): void;
  printError(text: string): void;
}

/** Of the process; what is in it is a parameter of whatever depends on it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** `coxswain`, or a command below it. It throws CommanderError where another would end the process. */
export function baseCommand(name: SubcommandName | undefined, { print, printError }: Output): Command {
  return new Command(name === undefined ? "coxswain" : `coxswain ${name}`)
    .helpOption("-h, --help", "print this")
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: printError });
}
