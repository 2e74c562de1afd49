import type { Extender } from "../framework/extender.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import type { ExtenderConfiguration, KubeSchedulerConfiguration } from "./document.ts";

/** A scheduler's configuration in TypeScript: what the YAML says, with plugins and extenders as values. */
export interface SchedulerDefinition extends Omit<KubeSchedulerConfiguration, "apiVersion" | "kind" | "extenders"> {
  /** By name; profiles enable them by it. */
  readonly plugins?: Readonly<Record<string, PluginFactory>>;
  /** How long they may take for what they do asynchronously, as Go writes durations. Default: `60s`. */
  readonly pluginTimeout?: string;
  readonly extenders?: readonly (ExtenderConfiguration | Extender)[];
}

/** For the default export of a configuration file. */
export const defineScheduler = (definition: SchedulerDefinition): SchedulerDefinition => definition;
