/** The plugins of one schedulerName, made and in their places. */
import type { PluginHandle, QueuedPod, SchedulerPlugin } from "../framework/plugin.ts";
import type { ExtensionPoint, ProfileSpec, WeightedPlugin } from "../framework/profile.ts";

type PluginPoint = Exclude<ExtensionPoint, "score" | "queueSort">;

export interface Profile extends Readonly<Record<PluginPoint, readonly SchedulerPlugin[]>> {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore: number;
  /** All of them, by name. */
  readonly plugins: ReadonlyMap<string, SchedulerPlugin>;
  readonly score: readonly WeightedPlugin[];
  less(a: QueuedPod, b: QueuedPod): boolean;
}

/** @throws TypeError for what no profile can be made of; whatever a plugin's factory throws */
export function createProfile(spec: ProfileSpec, handleOf: (profile: () => Profile) => PluginHandle): Profile {
  const { schedulerName, percentageOfNodesToScore = 0, args = {}, factories } = spec;
  const handle = handleOf(() => profile);
  const made = new Map<string, SchedulerPlugin>();
  const plugin = (name: string): SchedulerPlugin => {
    const factory = factories.get(name);
    if (factory === undefined) throw new TypeError(`profile ${schedulerName}: there is no plugin ${name}`);
    const known = made.get(name) ?? factory(args[name] ?? {}, handle);
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
  if (sorter?.less === undefined || sorters.length > 1) throw new TypeError(`profile ${schedulerName}: exactly one plugin sorts the queue`);
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
    less,
  };
  if (profile.bind.length === 0) throw new TypeError(`profile ${schedulerName}: no plugin binds Pods`);
  return profile;
}
