/**
 * Which plugins work where, and in what order: what a profile says merged into the defaults.
 * @see https://kubernetes.io/docs/reference/scheduling/config/#multipoint
 */
import { goQuote } from "@coxswain/machinery";
import type { ExtensionPoint } from "../framework/profile.ts";
import { SchedulerConfigError } from "./config-error.ts";
import { type EnabledPlugin, extensionPoints, type PluginSet, type Plugins } from "./document.ts";

export interface PluginsByPoint {
  /** Names in order. One that came by multiPoint may lack the point; then it does nothing there. */
  readonly at: Readonly<Record<ExtensionPoint, readonly string[]>>;
  /** Names that are to have the point. */
  readonly explicit: Readonly<Record<ExtensionPoint, readonly string[]>>;
  readonly weightOf: (name: string) => number;
}

/** @throws SchedulerConfigError */
export function mergePlugins(defaults: readonly EnabledPlugin[], given: Plugins, isKnown: (name: string) => boolean): PluginsByPoint {
  const multi = mergeSet(defaults, given.multiPoint);
  const unknown = multi.find(({ name }) => !isKnown(name));
  const sets = extensionPoints.map((point) => {
    const enabled = given[point]?.enabled ?? [];
    checkSet(point, enabled, isKnown);
    return [point, enabled.map(({ name }) => name), expand(point, given[point], enabled, multi)] as const;
  });
  if (unknown !== undefined) throw new SchedulerConfigError(`PreFilterPlugin ${goQuote(unknown.name)} does not exist`);
  const weighted = [...(given.score?.enabled ?? []), ...multi];
  return {
    at: byPoint(sets.map(([point, , names]) => [point, names])),
    explicit: byPoint(sets.map(([point, names]) => [point, names])),
    weightOf: (wanted) => weighted.find(({ name }) => name === wanted)?.weight || 1,
  };
}

const byPoint = (entries: readonly (readonly [ExtensionPoint, readonly string[]])[]): Record<ExtensionPoint, readonly string[]> =>
  Object.fromEntries(entries) as Record<ExtensionPoint, readonly string[]>;

/** A default that is named again takes the new weight and keeps its place; others come behind. */
function mergeSet(defaults: readonly EnabledPlugin[], { enabled = [], disabled = [] }: PluginSet = {}): readonly EnabledPlugin[] {
  const off = new Set(disabled.map(({ name }) => name));
  const kept = off.has("*") ? [] : defaults.filter(({ name }) => !off.has(name));
  // Of several of one name the last one replaces the default.
  const replacing = new Map(enabled.filter(({ name }) => kept.some((one) => one.name === name)).map((one) => [one.name, one]));
  return [...kept.map((one) => replacing.get(one.name) ?? one), ...enabled.filter((one) => replacing.get(one.name) !== one)];
}

/** First what stands in both, in the order of the point, then multiPoint's others, then the point's others. */
function expand(
  point: ExtensionPoint,
  { disabled = [] }: PluginSet = {},
  enabled: readonly EnabledPlugin[],
  multi: readonly EnabledPlugin[],
): readonly string[] {
  const own = enabled.map(({ name }) => name);
  const off = new Set(disabled.map(({ name }) => name));
  if (off.has("*")) return own;
  const shared = multi.map(({ name }) => name).filter((name) => !off.has(name));
  const twice = shared.find((name, i) => !own.includes(name) && shared.indexOf(name) !== i);
  if (twice !== undefined) throw registeredTwice(point, twice);
  return [
    ...own.filter((name) => shared.includes(name)),
    ...shared.filter((name) => !own.includes(name)),
    ...own.filter((name) => !shared.includes(name)),
  ];
}

function checkSet(point: ExtensionPoint, enabled: readonly EnabledPlugin[], isKnown: (name: string) => boolean): void {
  const seen = new Set<string>();
  for (const { name } of enabled) {
    if (!isKnown(name)) throw new SchedulerConfigError(`${goInterface(point)} ${goQuote(name)} does not exist`);
    if (seen.has(name)) throw registeredTwice(point, name);
    seen.add(name);
  }
}

const registeredTwice = (point: ExtensionPoint, name: string): SchedulerConfigError =>
  new SchedulerConfigError(`plugin ${goQuote(name)} already registered as ${goQuote(goInterface(point))}`);

/** What Go calls plugins of this point, in messages. */
export const goInterface = (point: ExtensionPoint): string => `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;
