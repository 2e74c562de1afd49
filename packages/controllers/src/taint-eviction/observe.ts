import { nodes, type ObjectRef, type ReconcileContext } from "@coxswain/client";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { ObservedPod } from "./plan.ts";
import { noExecuteTaints } from "./tolerations.ts";

/** When each Pod is to be evicted, by the monotonic clock: setting the clock back delays no eviction. By `namespace/name`. */
export type Deadlines = Map<string, { readonly uid: string; readonly atMs: number }>;

export function observe(ref: ObjectRef, { object: pod, cache, client }: ReconcileContext<Pod>, deadlines: Deadlines): ObservedPod {
  const node = cache(nodes).get({ name: pod?.spec?.nodeName ?? "" });
  return {
    pod,
    taints: noExecuteTaints(node?.spec?.taints),
    deadline: deadlines.get(`${ref.namespace}/${ref.name}`),
    nowMs: client.clock.monotonic(),
  };
}
