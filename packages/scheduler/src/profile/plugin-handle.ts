/** What a plugin sees of the scheduler. */
import type { InformerSet } from "@coxswain/client";
import { addPod, filterNode, removePod } from "../cycle/filters.ts";
import type { SchedulerParts } from "../cycle/scheduler-parts.ts";
import type { PluginHandle } from "../framework/plugin.ts";
import type { Profile } from "./profile.ts";

type Parts = Pick<SchedulerParts, "client" | "cache" | "queue" | "bindings" | "background" | "extenders" | "eventsOf"> & {
  readonly informers: InformerSet;
};

/** `profile` is asked for once the plugins are made. */
export function pluginHandle(
  { client, informers, cache, queue, bindings, background, extenders, eventsOf }: Parts,
  schedulerName: string,
  profile: () => Profile,
): PluginHandle {
  const { nominator } = queue;
  return {
    client,
    informers,
    events: eventsOf(schedulerName),
    extenders,
    snapshot: () => cache.lastSnapshot,
    nominatedPods: (node) => nominator.on(node),
    stopBinding: (uid, reason) => bindings.stop(uid, reason),
    waitingPods: () => bindings.waiting(),
    allowBinding: (uid, plugin) => bindings.allow(uid, plugin),
    activate: ({ uid }) => queue.activate(uid),
    background: (work) => background.start(work),
    runFilters: (state, pod, node) => filterNode(profile(), state, pod, { node, nominator }),
    addPod: (state, pod, other, node) => addPod(profile(), state, { pod, other, node }),
    removePod: (state, pod, other, node) => removePod(profile(), state, { pod, other, node }),
  };
}
