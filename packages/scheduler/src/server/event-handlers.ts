/** Passes what the informers report to the cache and the queue, and requeues unschedulable Pods. */
import {
  type Change,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  type InformerSet,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  type ResourceRef,
  storageClasses,
  volumeAttachments,
} from "@coxswain/client";
import { DisposableStack, type KubeObject } from "@coxswain/machinery";
import type { ClusterCache } from "../cache/cluster-cache.ts";
import type { ActionType, ClusterEvent } from "../framework/cluster-event.ts";
import type { Node } from "../framework/node-info.ts";
import type { Pod } from "../framework/pod-info.ts";
import type { SchedulerMetrics } from "../metrics/scheduler-metrics.ts";
import { labelOf, nodeActions, podActions } from "../queue/cluster-change.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { InFlightBindings } from "../runtime/in-flight-bindings.ts";
import type { Profile } from "../runtime/profile.ts";

export interface EventHandlerParts {
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly bindings: InFlightBindings;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly metrics: SchedulerMetrics;
  readonly now: () => number;
}

/** Pods that have ended take no room. */
const alivePods = { fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" };

export const podInformer = (informers: InformerSet, shared: boolean) => informers.use(pods, shared ? {} : alivePods);

type OtherResource = Exclude<ClusterEvent["resource"], "AssignedPod" | "UnscheduledPod" | "Node">;

const others: Readonly<Record<OtherResource, ResourceRef<KubeObject>>> = {
  PersistentVolume: persistentVolumes,
  PersistentVolumeClaim: persistentVolumeClaims,
  StorageClass: storageClasses,
  CSINode: csiNodes,
  CSIDriver: csiDrivers,
  CSIStorageCapacity: csiStorageCapacities,
  VolumeAttachment: volumeAttachments,
  Namespace: namespaces,
};

/** Informers that this begins to use are to be waited for. Disposing it ends it. */
export function addAllEventHandlers(
  parts: EventHandlerParts,
  informers: InformerSet,
  options: { readonly sharedPods: boolean },
): Disposable {
  const follower = new EventHandlers(parts);
  const stack = new DisposableStack();
  const follow = <T extends KubeObject>(lease: ReturnType<typeof informers.use<T>>, fn: (change: Change<T>) => void): void => {
    stack.use(lease);
    stack.use(lease.informer.subscribe(fn));
  };
  follow(informers.use(nodes), (change) => follower.node(change));
  follow(podInformer(informers, options.sharedPods), (change) => follower.pod(change));
  for (const resource of wanted(parts.profiles)) follow(informers.use(others[resource]), (change) => follower.other(resource, change));
  return stack;
}

/** What the plugins want to know of. */
function wanted(profiles: ReadonlyMap<string, Profile>): ReadonlySet<OtherResource> {
  const result = new Set<OtherResource>();
  for (const { plugins } of profiles.values()) {
    for (const { events = [] } of plugins.values()) {
      for (const { event } of events) if (event.resource in others) result.add(event.resource as OtherResource);
    }
  }
  return result;
}

const actions = { added: "add", updated: "update", deleted: "delete" } as const;

class EventHandlers {
  readonly #parts: EventHandlerParts;

  constructor(parts: EventHandlerParts) {
    this.#parts = parts;
  }

  node(change: Change<Node>): void {
    const { cache } = this.#parts;
    const { object } = change;
    switch (change.type) {
      case "added":
        cache.setNode(object);
        return void this.#requeueFor("Node", ["add"], undefined, object);
      case "updated":
        cache.setNode(object);
        return void this.#requeueFor("Node", nodeActions(change.previous, object), change.previous, object);
      case "deleted":
        this.#requeueFor("Node", ["delete"], object, undefined);
        cache.removeNode(object.metadata?.name ?? "");
    }
  }

  pod(change: Change<Pod>): void {
    switch (change.type) {
      case "added":
        return void this.#podChanged(undefined, change.object);
      case "updated":
        if (change.resync) return;
        return void this.#podChanged(change.previous, change.object);
      case "deleted":
        return void this.#podChanged(change.object, undefined);
    }
  }

  other(resource: OtherResource, change: Change<KubeObject>): void {
    const before = change.type === "updated" ? change.previous : change.type === "deleted" ? change.object : undefined;
    this.#requeueFor(resource, [actions[change.type]], before, change.type === "deleted" ? undefined : change.object);
  }

  /** A Pod that has ended is as good as gone. */
  #podChanged(previous: Pod | undefined, now: Pod | undefined): void {
    const before = previous === undefined || hasEnded(previous) ? undefined : previous;
    const after = now === undefined || hasEnded(now) ? undefined : now;
    if (after === undefined) {
      if (before !== undefined) this.#podGone(before);
    } else if (isAssigned(after)) {
      const wasAssigned = before !== undefined && isAssigned(before);
      this.#parts.cache.setPod(after);
      if (before !== undefined && !wasAssigned) this.#parts.queue.delete(after.metadata?.uid ?? "");
      this.#requeueFor("AssignedPod", wasAssigned ? podActions(before, after) : ["add"], wasAssigned ? before : undefined, after);
    } else if (this.#isOurs(after)) this.#waitingPodChanged(before, after);
  }

  #waitingPodChanged(before: Pod | undefined, after: Pod): void {
    const { queue, cache } = this.#parts;
    if (before === undefined) return void queue.add(after);
    if (cache.isAssumed(after.metadata?.uid ?? "")) {
      const goes = after.metadata?.deletionTimestamp !== undefined && before.metadata?.deletionTimestamp === undefined;
      if (goes) this.#assumedPodGone(after);
      return;
    }
    queue.update(before, after);
    if (nominatedNode(before) !== "" && nominatedNode(before) !== nominatedNode(after)) this.#makesRoom(before);
  }

  #podGone(pod: Pod): void {
    const { queue, cache } = this.#parts;
    const uid = pod.metadata?.uid ?? "";
    const wasAssumed = cache.isAssumed(uid);
    queue.delete(uid);
    if (isAssigned(pod)) {
      cache.removePod(uid);
      this.#requeueFor("AssignedPod", ["delete"], pod, undefined);
    } else if (wasAssumed) this.#assumedPodGone(pod);
    else {
      // The update that bound it may not have been seen.
      cache.removePod(uid);
      if (nominatedNode(pod) !== "") this.#makesRoom(pod);
    }
  }

  /** A binding cycle frees its resources itself; without one, that is done here. */
  #assumedPodGone(pod: Pod): void {
    const { cache, bindings } = this.#parts;
    const uid = pod.metadata?.uid ?? "";
    const waiting = bindings.get(uid);
    if (waiting === undefined) cache.forget(uid);
    else waiting.reject("", "removed");
    this.#requeueFor("AssignedPod", ["delete"], pod, undefined);
  }

  /** Room that was kept for the Pod is free for those of no higher priority. */
  #makesRoom(before: Pod): void {
    const change = { resource: "AssignedPod", action: "delete", before, after: undefined } as const;
    this.#parts.queue.moveAllToActiveOrBackoffQueue(change, ({ priority }) => priority <= (before.spec?.priority ?? 0));
  }

  #requeueFor(
    resource: ClusterEvent["resource"],
    actions: readonly ActionType[],
    before: KubeObject | undefined,
    after: KubeObject | undefined,
  ): void {
    const { queue, metrics, now } = this.#parts;
    for (const action of actions) {
      const since = now();
      const change = { resource, action, before, after };
      queue.moveAllToActiveOrBackoffQueue(change);
      metrics.handled(labelOf(change), now() - since);
    }
  }

  #isOurs({ spec }: Pod): boolean {
    return this.#parts.profiles.has(spec?.schedulerName ?? "");
  }
}

const isAssigned = ({ spec }: Pod): boolean => (spec?.nodeName ?? "") !== "";
const hasEnded = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";
const nominatedNode = ({ status }: Pod): string => status?.nominatedNodeName ?? "";
