/** The options of `coxswain scheduler`. */
import { Command } from "commander";
import type { Output } from "./cluster-options.ts";
import { addStandaloneOptions, type ParsedStandaloneOptions, type StandaloneOptions, standaloneOptionsOf } from "./standalone-options.ts";

export interface SchedulerOptions extends StandaloneOptions {
  /** Undefined is Kubernetes' default. */
  readonly config: string | undefined;
}

interface Parsed extends ParsedStandaloneOptions {
  readonly config?: string;
}

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseSchedulerOptions(args: readonly string[], output: Output): SchedulerOptions {
  const command = addStandaloneOptions(new Command("coxswain scheduler"), "kube-scheduler", output)
    .description("The scheduler of a cluster in a process of its own, for any cluster.")
    .option("--config <file>", "profiles, plugins and extenders: a KubeSchedulerConfiguration, or a TypeScript module");
  const parsed = command.parse(args, { from: "user" }).opts<Parsed>();
  return { ...standaloneOptionsOf(parsed), config: parsed.config };
}
