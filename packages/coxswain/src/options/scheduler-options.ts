/** The options of `coxswain scheduler`. */
import { Command } from "commander";
import type { Output } from "./cluster-options.ts";
import { type AloneOptions, addAloneOptions, aloneOptionsOf, type ParsedAloneOptions } from "./standalone-options.ts";

export interface SchedulerOptions extends AloneOptions {
  /** Undefined is Kubernetes' default. */
  readonly config: string | undefined;
}

interface Parsed extends ParsedAloneOptions {
  readonly config?: string;
}

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseSchedulerOptions(args: readonly string[], output: Output): SchedulerOptions {
  const command = addAloneOptions(new Command("coxswain scheduler"), "kube-scheduler", output)
    .description("The scheduler of a cluster in a process of its own, for any cluster.")
    .option("--config <file>", "profiles, plugins and extenders: a KubeSchedulerConfiguration, or a TypeScript module");
  const parsed = command.parse(args, { from: "user" }).opts<Parsed>();
  return { ...aloneOptionsOf(parsed), config: parsed.config };
}
