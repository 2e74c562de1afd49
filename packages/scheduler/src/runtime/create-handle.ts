import type { ClusterCache } from "../cache/cluster-cache.ts";
import type { Handle, PluginServices } from "../framework/handle.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { BackgroundWork } from "./background-work.ts";
import { runFilterPluginsWithNominatedPods, runPreFilterExtensionAddPod, runPreFilterExtensionRemovePod } from "./filters.ts";
import type { InFlightBindings } from "./in-flight-bindings.ts";
import type { Profile } from "./profile.ts";

export interface HandleParts {
  readonly services: PluginServices;
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly bindings: InFlightBindings;
  readonly background: BackgroundWork;
}

/** Makes the Handle of a profile's plugins. `profile` is called only once the plugins are made. */
export function createHandle({ services, cache, queue, bindings, background }: HandleParts, profile: () => Profile): Handle {
  const { nominator } = queue;
  return {
    ...services,
    snapshot: () => cache.lastSnapshot,
    nominatedPods: (node) => nominator.nominatedPods(node),
    getWaitingPod: (uid) => bindings.get(uid),
    waitingPods: () => bindings.waitingAtPermit(),
    activate: ({ uid }) => queue.activate(uid),
    background: (work) => background.start(work),
    runFilters: (state, pod, node) => runFilterPluginsWithNominatedPods(profile(), state, pod, { node, nominator }),
    addPod: (state, pod, other, node) => runPreFilterExtensionAddPod(profile(), state, { pod, other, node }),
    removePod: (state, pod, other, node) => runPreFilterExtensionRemovePod(profile(), state, { pod, other, node }),
  };
}
