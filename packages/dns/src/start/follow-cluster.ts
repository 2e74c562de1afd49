/** Informers into the index: it has a change as soon as the watch brings it. */
import {
  type api,
  type Change,
  type Client,
  createInformerSet,
  dropManagedFields,
  endpointSlices,
  type Informer,
  type InformerLog,
  type KubeObject,
  namespaces,
  pods,
  services,
} from "@coxswain/client";
import type { ServiceIndex } from "../zone/service-index.ts";

export interface FollowedCluster {
  /** When all is known that there was at the start. */
  readonly synced: Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

export function followCluster(
  client: Client,
  index: ServiceIndex,
  { withPods, log }: { withPods: boolean; log: InformerLog },
): FollowedCluster {
  const set = createInformerSet(client, { log });

  const leases = [
    follow(set.use(services, slim<api.coreV1.Service>()).informer, (change) => {
      const { namespace = "", name = "" } = change.object.metadata ?? {};
      if (change.type === "deleted") index.deleteService(namespace, name);
      else index.setService(change.object);
    }),
    follow(set.use(endpointSlices, slim<api.discoveryV1.EndpointSlice>()).informer, (change) => {
      const { namespace = "", name = "" } = change.object.metadata ?? {};
      if (change.type === "deleted") index.deleteEndpointSlice(namespace, name);
      else index.setEndpointSlice(change.object);
    }),
    follow(set.use(namespaces, { metadataOnly: true }).informer, (change) => {
      index.setNamespace(change.object.metadata?.name ?? "", change.type !== "deleted");
    }),
  ];
  if (withPods) leases.push(follow(set.use(pods, slim<api.coreV1.Pod>()).informer, (change) => followPod(index, change)));
  return {
    synced: Promise.all(leases).then(() => undefined),
    run: (signal) => set.run(signal),
  };
}

const slim = <T extends KubeObject>() => ({ transform: dropManagedFields<T> });

function follow<T extends KubeObject>(informer: Informer<T>, apply: (change: Change<T>) => void): Promise<void> {
  informer.subscribe(apply);
  // Whoever does not wait for it need not handle that it never comes.
  informer.synced.catch(() => undefined);
  return informer.synced;
}

function followPod(index: ServiceIndex, change: Change<api.coreV1.Pod>): void {
  const { namespace = "", name = "" } = change.object.metadata ?? {};
  const before = change.type === "updated" ? change.previous : change.object;
  index.setPod(namespace, name, change.type === "deleted" ? [] : addressesOf(change.object), addressesOf(before));
}

/** Those of the node are no Pod's, and a Pod that has ended has none any more. */
function addressesOf({ spec, status }: api.coreV1.Pod): string[] {
  const { phase, podIPs = [] } = status ?? {};
  if (spec?.hostNetwork === true || phase === "Succeeded" || phase === "Failed") return [];
  return podIPs.flatMap(({ ip }) => (ip === undefined ? [] : ip));
}
