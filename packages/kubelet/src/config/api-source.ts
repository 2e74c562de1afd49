/** The Pods of one node, as an informer keeps them. */
import type { Change, Informer } from "@coxswain/client";
import type { Pod } from "../pod/pod.ts";
import type { PodSource } from "./pod-source.ts";

/** Of all that the informer has: give it one that has the Pods of this node alone. */
export const createApiServerSource = (informer: Pick<Informer<Pod>, "synced" | "lister" | "subscribe">): PodSource => ({
  synced: informer.synced,
  list: () => informer.lister.list(),
  get: (namespace, name) => informer.lister.get({ namespace, name }),
  subscribe: (changed) =>
    informer.subscribe((change: Change<Pod>) => {
      const { namespace = "", name = "" } = change.object.metadata ?? {};
      changed({ namespace, name }, change.type === "deleted" ? undefined : change.object);
    }),
});
