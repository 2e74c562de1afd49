/** The options of `coxswain scheduler`. */
import type { Command } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { addStandaloneOptions, type ParsedStandaloneOptions, type StandaloneOptions, standaloneOptionsOf } from "./standalone-options.ts";

export interface SchedulerOptions extends StandaloneOptions {
  /** Undefined is Kubernetes' default. */
  readonly config: string | undefined;
}

interface Parsed extends ParsedStandaloneOptions {
  readonly config?: string;
}

export const schedulerCommand = (output: Output): Command =>
  addStandaloneOptions(baseCommand("scheduler", output), "kube-scheduler")
    .description("The scheduler of a cluster in a process of its own, for any cluster.")
    .option("--config <file>", "profiles, plugins and extenders: a KubeSchedulerConfiguration, or a TypeScript module");

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseSchedulerOptions(args: readonly string[], output: Output): SchedulerOptions {
  const parsed = schedulerCommand(output).parse(args, { from: "user" }).opts<Parsed>();
  return { ...standaloneOptionsOf(parsed), config: parsed.config };
}
