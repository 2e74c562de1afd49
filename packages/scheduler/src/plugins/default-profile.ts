import type { ExtensionPoint, ProfileSpec } from "../framework/profile.ts";
import { type DefaultPlugin, defaultPlugins } from "./default-plugins.ts";
import { pluginFactories } from "./registry.ts";

/** The profile of a cluster that configures none. */
export const defaultProfile = (changes: Partial<ProfileSpec> = {}): ProfileSpec => ({
  schedulerName: "default-scheduler",
  plugins: everywhere(defaultPlugins.filter(({ name }) => pluginFactories.has(name))),
  factories: pluginFactories,
  ...changes,
});

const points: readonly Exclude<ExtensionPoint, "score">[] = [
  "preEnqueue",
  "queueSort",
  "preFilter",
  "filter",
  "postFilter",
  "preScore",
  "reserve",
  "permit",
  "preBind",
  "bind",
  "postBind",
];

/** Each plugin at every point at which it has something to do. */
export function everywhere(plugins: readonly DefaultPlugin[]): ProfileSpec["plugins"] {
  const names = plugins.map(({ name }) => name);
  return {
    ...Object.fromEntries(points.map((point) => [point, names])),
    score: plugins.map(({ name, weight = 1 }) => ({ name, weight })),
  };
}
