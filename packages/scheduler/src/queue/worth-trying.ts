/** Whether what has happened gives a refused Pod reason to be tried again. */
import type { SchedulerPlugin } from "../framework/plugin.ts";
import { type ClusterChange, isOf } from "./cluster-change.ts";
import type { WaitingPod } from "./waiting-pod.ts";

/** `now`: without a pause, since the Pod did nothing but wait for this. */
export type Worth = "no" | "afterPause" | "now";

/** Stands among the plugins that have refused a Pod when an extender has: nobody knows what would change its mind. */
export const extenderName = "Extender";

/** The plugins of a profile, by name. */
export type PluginsByName = ReadonlyMap<string, SchedulerPlugin>;

export function worthTrying(waiting: WaitingPod, change: ClusterChange, plugins: PluginsByName): Worth {
  const { refusedBy, pendingOn } = waiting;
  if (refusedBy.size + pendingOn.size === 0) return "afterPause";
  for (const name of pendingOn) if (concerns(plugins.get(name), waiting, change)) return "now";
  for (const name of refusedBy) if (name === extenderName || concerns(plugins.get(name), waiting, change)) return "afterPause";
  return "no";
}

/** A plugin that says nothing of events may be helped by any but what the scheduler itself writes. A hint that fails counts as a yes: better once too often. */
function concerns(plugin: SchedulerPlugin | undefined, { pod }: WaitingPod, change: ClusterChange): boolean {
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
