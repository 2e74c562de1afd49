/** Whether what has happened gives a refused Pod reason to be tried again. */
import type { SchedulerPlugin } from "../framework/plugin.ts";
import { type ClusterChange, isOf } from "./cluster-change.ts";
import type { QueuedPod } from "./queued-pod.ts";

/** `immediately`: without a pause, since the Pod did nothing but wait for this. */
export type QueueingStrategy = "skip" | "afterBackoff" | "immediately";

/** Stands among the plugins that have refused a Pod when an extender has: what would change its decision is unknown. */
export const extenderName = "Extender";

/** The plugins of a profile, by name. */
export type PluginsByName = ReadonlyMap<string, SchedulerPlugin>;

export function isPodWorthRequeuing(queued: QueuedPod, change: ClusterChange, plugins: PluginsByName): QueueingStrategy {
  const { unschedulablePlugins, pendingPlugins } = queued;
  if (unschedulablePlugins.size + pendingPlugins.size === 0) return "afterBackoff";
  for (const name of pendingPlugins) if (concerns(plugins.get(name), queued, change)) return "immediately";
  for (const name of unschedulablePlugins) if (name === extenderName || concerns(plugins.get(name), queued, change)) return "afterBackoff";
  return "skip";
}

/** A plugin that says nothing of events may be helped by any but what the scheduler itself writes. A hint that fails counts as a yes: better once too often. */
function concerns(plugin: SchedulerPlugin | undefined, { pod }: QueuedPod, change: ClusterChange): boolean {
  if (plugin?.events === undefined) return change.resource !== "UnscheduledPod" || change.action !== "update";
  return plugin.events.some(({ event, hint }) => {
    if (!isOf(change, event)) return false;
    if (hint === undefined) return true;
    try {
      return hint(pod, change.before, change.after);
    } catch {
      return true;
    }
  });
}

/** Whether a change is among those that a plugin has registered. */
export const isInteresting = (plugin: SchedulerPlugin | undefined, change: ClusterChange): boolean =>
  plugin?.events === undefined || plugin.events.some(({ event }) => isOf(change, event));
