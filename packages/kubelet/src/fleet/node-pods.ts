/** The Pods of many nodes from one informer that has them all. */
import type { Change, Informer } from "@coxswain/client";
import type { PodSource } from "../config/pod-source.ts";
import type { Pod } from "../pod/pod.ts";

type Changed = Parameters<PodSource["subscribe"]>[0];

export interface NodePods extends Disposable {
  of(nodeName: string): PodSource;
}

const index = "kubelet/node";

export function nodePods(informer: Informer<Pod>): NodePods {
  const listeners = new Map<string, Changed>();
  informer.addIndexes({ [index]: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]) });
  const subscription = informer.subscribe((change: Change<Pod>) => {
    const { object } = change;
    const changed = listeners.get(object.spec?.nodeName ?? "");
    if (changed === undefined) return;
    const { namespace = "", name = "" } = object.metadata ?? {};
    changed({ namespace, name }, change.type === "deleted" ? undefined : object);
  });
  return {
    of: (nodeName) => ({
      synced: informer.synced,
      list: () => informer.lister.byIndex(index, nodeName),
      get(namespace, name) {
        const pod = informer.lister.get({ namespace, name });
        return pod?.spec?.nodeName === nodeName ? pod : undefined;
      },
      subscribe(changed) {
        if (listeners.has(nodeName)) throw new TypeError(`the Pods of ${nodeName} are followed already`);
        listeners.set(nodeName, changed);
        return { [Symbol.dispose]: () => void listeners.delete(nodeName) };
      },
    }),
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  };
}
