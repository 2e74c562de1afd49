/** The plugins of one schedulerName, made and in their places. */
import { goQuote, messageOf } from "@coxswain/machinery";
import type { Handle } from "../framework/handle.ts";
import type { QueuedPodInfo, SchedulerPlugin } from "../framework/plugin.ts";
import type { ExtensionPoint, ProfileSpec, WeightedPlugin } from "../framework/profile.ts";

type PluginPoint = Exclude<ExtensionPoint, "score" | "queueSort">;

export interface Profile extends Readonly<Record<PluginPoint, readonly SchedulerPlugin[]>> {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore: number;
  /** All of them, by name. */
  readonly plugins: ReadonlyMap<string, SchedulerPlugin>;
  readonly score: readonly WeightedPlugin[];
  /** The plugin that sorts the queue. */
  readonly sorter: string;
  less(a: QueuedPodInfo, b: QueuedPodInfo): boolean;
}

/** @throws TypeError for what no profile can be made of, in kube-scheduler's words */
export function createProfile(spec: ProfileSpec, handleOf: (profile: () => Profile) => Handle): Profile {
  try {
    return assembleProfile(spec, handleOf);
  } catch (error) {
    const why = messageOf(error);
    throw new TypeError(`initializing profiles: creating profile for scheduler name ${spec.schedulerName}: ${why}`, { cause: error });
  }
}

function assembleProfile(spec: ProfileSpec, handleOf: (profile: () => Profile) => Handle): Profile {
  const { schedulerName, percentageOfNodesToScore = 0, args = {}, factories } = spec;
  const handle = handleOf(() => profile);
  const made = new Map<string, SchedulerPlugin>();
  const plugin = (name: string): SchedulerPlugin => {
    const factory = factories.get(name);
    if (factory === undefined) throw new TypeError(`there is no plugin ${goQuote(name)}`);
    const known = made.get(name) ?? makePlugin(name, () => factory(args[name] ?? {}, handle));
    made.set(name, known);
    return known;
  };
  // A plugin that is named for every point works at those that it has.
  const at = (point: PluginPoint): readonly SchedulerPlugin[] =>
    (spec.plugins[point] ?? [])
      .map(plugin)
      .filter((one) => one[point] !== undefined || (point === "reserve" && one.unreserve !== undefined));
  const sorters = (spec.plugins.queueSort ?? []).map(plugin).filter(({ less }) => less !== undefined);
  const [sorter] = sorters;
  if (sorter?.less === undefined || sorters.length > 1)
    throw new TypeError(
      `only one queue sort plugin required for profile with scheduler name ${goQuote(schedulerName)}, but got ${sorters.length}`,
    );
  const less = sorter.less.bind(sorter);
  const profile: Profile = {
    schedulerName,
    percentageOfNodesToScore,
    plugins: made,
    preEnqueue: at("preEnqueue"),
    preFilter: at("preFilter"),
    filter: at("filter"),
    postFilter: at("postFilter"),
    preScore: at("preScore"),
    score: (spec.plugins.score ?? [])
      .map(({ name, weight }) => ({ plugin: plugin(name), weight }))
      .filter((one) => one.plugin.score !== undefined),
    reserve: at("reserve"),
    permit: at("permit"),
    preBind: at("preBind"),
    bind: at("bind"),
    postBind: at("postBind"),
    sorter: sorter.name,
    less,
  };
  if (profile.bind.length === 0)
    throw new TypeError(`at least one bind plugin is needed for profile with scheduler name ${goQuote(schedulerName)}`);
  for (const [point, names] of Object.entries(spec.explicit ?? {}))
    for (const name of names) checkPoint(point as ExtensionPoint, plugin(name));
  return profile;
}

function makePlugin(name: string, make: () => SchedulerPlugin): SchedulerPlugin {
  try {
    return make();
  } catch (error) {
    throw new TypeError(`initializing plugin ${goQuote(name)}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function checkPoint(point: ExtensionPoint, plugin: SchedulerPlugin): void {
  const method = point === "queueSort" ? plugin.less : (plugin[point] ?? (point === "reserve" ? plugin.unreserve : undefined));
  if (method !== undefined) return;
  const wanted = `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;
  throw new TypeError(`plugin ${goQuote(plugin.name)} does not extend ${wanted} plugin`);
}
