/** The options of `coxswain controllers`. */
import type { Command } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { controllersHelp, type Options } from "./cluster-options.ts";
import { parseList } from "./parse-values.ts";
import { addStandaloneOptions, type ParsedStandaloneOptions, type StandaloneOptions, standaloneOptionsOf } from "./standalone-options.ts";

export interface ControllersOptions extends StandaloneOptions, Pick<Options, "controllers"> {
  /** Files in PEM. */
  readonly rootCaFile: string | undefined;
  /** Whether each controller works as its own service account. */
  readonly useServiceAccountCredentials: boolean;
}

interface Parsed extends ParsedStandaloneOptions {
  readonly controllers: readonly string[];
  readonly rootCaFile?: string;
  readonly useServiceAccountCredentials?: boolean;
}

export const controllersCommand = (output: Output): Command =>
  addStandaloneOptions(baseCommand("controllers", output), "coxswain-controllers")
    .description("The controllers of a cluster in a process of their own, for any cluster.")
    .option("--controllers <names>", controllersHelp, parseList, ["*"])
    .option("--root-ca-file <file>", "certificates to publish in every namespace")
    .option(
      "--use-service-account-credentials",
      "let each controller work as a service account of its own, with no more rights than it needs",
    );

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseControllersOptions(args: readonly string[], output: Output): ControllersOptions {
  const parsed = controllersCommand(output).parse(args, { from: "user" }).opts<Parsed>();
  return {
    ...standaloneOptionsOf(parsed),
    controllers: parsed.controllers,
    rootCaFile: parsed.rootCaFile,
    useServiceAccountCredentials: parsed.useServiceAccountCredentials === true,
  };
}
