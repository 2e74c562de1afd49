/** What schedules the Pods of one `schedulerName`: plugins made, in their order at each extension point. */
import type { PluginFactory, SchedulerPlugin } from "./plugin.ts";

/** An ExtensionPoint is named as the configuration names it. */
export type ExtensionPoint =
  | "preEnqueue"
  | "queueSort"
  | "preFilter"
  | "filter"
  | "postFilter"
  | "preScore"
  | "score"
  | "reserve"
  | "permit"
  | "preBind"
  | "bind"
  | "postBind";

/**
 * A ProfileSpec is what a profile is made of, with every name resolved: defaults, `multiPoint` and disabled plugins are
 * applied already.
 */
export interface ProfileSpec {
  readonly schedulerName: string;
  /** 1 to 100; 0 or undefined: as many as fits the cluster's size. */
  readonly percentageOfNodesToScore?: number;
  /**
   * By extension point, in order; what is absent has none. A name may stand at several points: it is one plugin. Where it
   * has nothing to do at a point it is left out there.
   */
  readonly plugins: Readonly<Partial<Record<Exclude<ExtensionPoint, "score">, readonly string[]>>> & {
    readonly score?: readonly { readonly name: string; readonly weight: number }[];
  };
  /** Names that must have the point, by extension point; others that stand there without having it do nothing. */
  readonly explicit?: Readonly<Partial<Record<ExtensionPoint, readonly string[]>>>;
  /** Arguments by plugin name. */
  readonly args?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** How each plugin is made. */
  readonly factories: ReadonlyMap<string, PluginFactory>;
}

/** A WeightedPlugin is a Score plugin with the weight of its scores. */
export interface WeightedPlugin {
  readonly plugin: SchedulerPlugin;
  readonly weight: number;
}
