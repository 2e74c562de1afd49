/** Looks at one object at a time: deletes what has lost its owners, and lets go what waits for its dependents. */
import {
  type Client,
  isConflict,
  isObjectNotFound,
  type KubeObject,
  type OwnerReference,
  type ResourceRef,
  unlessNotFound,
} from "@coxswain/client";
import { deepEqual } from "@coxswain/machinery";
import type { AbsentOwnerCache } from "./absent-owner-cache.ts";
import type { DependencyGraph } from "./dependency-graph.ts";
import { deletionStateOf, foregroundFinalizer, type Node, orphanFinalizer } from "./node.ts";
import { disown, type PatchOptions, release, targetOf, unblock } from "./owner-patches.ts";
import { type ClassifiedOwner, type DependentPlan, planDependent } from "./plan.ts";

export interface GarbageCollectorOptions {
  readonly client: Client;
  readonly graph: DependencyGraph;
  readonly absent: AbsentOwnerCache;
  /** Puts an object in line. */
  readonly check: (uid: string) => void;
  /** Whether there may be objects that the graph lacks, because a watch is interrupted. */
  readonly isBlind: () => boolean;
}

/** `unseen`: somebody else has to be seen first, an owner that exists or dependents that may, and nobody would tell. */
export type AttemptResult = "done" | "unseen";

/** With the backoff of the queue, about forty seconds. A resource that can never be watched must not hold up all the others. */
const maxWaits = 13;

/** So many owners whose dependents were to stay are remembered. */
const maxReleased = 500;

export class GarbageCollector {
  readonly #options: GarbageCollectorOptions;
  readonly #released = new Set<string>();

  constructor(options: GarbageCollectorOptions) {
    this.#options = options;
  }

  /** `failures`: how often in a row it was in vain before. @throws what the server answers; NoMatchError for an owner of a kind that nobody serves */
  async attemptToDelete(uid: string, failures: number, signal: AbortSignal): Promise<AttemptResult> {
    const { graph, client, isBlind } = this.#options;
    const node = graph.get(uid);
    if (node === undefined) return "done";
    const waitsForDependents = node.deletionState === "orphan" || node.deletionState === "foreground";
    if (waitsForDependents && failures < maxWaits && isBlind()) return "unseen";
    switch (node.deletionState) {
      case "going":
        return "done";
      case "orphan":
        await this.#orphan(node, { client, signal });
        return "done";
      case "foreground":
        await this.#finish(node, { client, signal });
        return "done";
      case "live":
        return await this.#collectIfOrphaned(node, signal);
    }
  }

  /** Its dependents name it no more, and it goes. */
  async #orphan(node: Node, options: PatchOptions): Promise<void> {
    this.#released.add(node.uid);
    for (const oldest of this.#released) if (this.#released.size > maxReleased) this.#released.delete(oldest);
    const { graph } = this.#options;
    const dependents = graph.dependents(node.uid);
    const ended = await Promise.allSettled(dependents.map((dependent) => disown(dependent, [node.uid], options)));
    for (const [i, one] of ended.entries()) {
      const { ref, name } = dependents[i] ?? node;
      if (one.status === "rejected" && !isObjectNotFound(one.reason, ref, name)) throw one.reason;
    }
    await release(node, orphanFinalizer, options);
  }

  /** It goes once nothing is left that it waits for. */
  async #finish(node: Node, options: PatchOptions): Promise<void> {
    const blocking = this.#options.graph.blocking(node.uid);
    if (blocking.length === 0) await release(node, foregroundFinalizer, options);
    else for (const { uid, deletionState } of blocking) if (deletionState === "live") this.#options.check(uid);
  }

  async #collectIfOrphaned(node: Node, signal: AbortSignal): Promise<AttemptResult> {
    const { client, graph } = this.#options;
    // Nothing is asked of the server where all owners are there: their end will be told.
    if (node.owners.every((owner) => graph.isSolid(owner, node.namespace))) return "done";
    const latest = await this.#read(node, signal);
    if (latest === undefined) return "done";
    const { metadata = {} } = latest;
    const owners: ClassifiedOwner[] = [];
    for (const reference of metadata.ownerReferences ?? []) {
      const classified = await this.#classify(reference, node, signal);
      if (classified === "invalid") return "done";
      owners.push(classified);
    }
    const plan = planDependent(owners, metadata, graph.dependents(node.uid));
    await this.#act(plan, node, latest, { client, signal });
    const kept = plan.do === "delete" ? [] : owners.filter(({ state }) => state === "solid");
    return kept.every(({ reference }) => graph.get(reference.uid) !== undefined) ? "done" : "unseen";
  }

  /** Undefined when it has gone: whoever has seen it will see that too. */
  async #read(node: Node, signal: AbortSignal): Promise<KubeObject | undefined> {
    const found = await unlessNotFound(
      this.#options.client.resource<KubeObject>(node.ref).get(targetOf(node), { signal }),
      node.ref,
      node.name,
    );
    return found?.metadata?.uid === node.uid ? found : undefined;
  }

  /** `invalid`: what is in no namespace cannot say in which one its owner is. */
  async #classify(reference: OwnerReference, node: Node, signal: AbortSignal): Promise<ClassifiedOwner | "invalid"> {
    const { client, graph, absent } = this.#options;
    const gone: ClassifiedOwner = { reference, state: this.#released.has(reference.uid) ? "released" : "absent" };
    if (graph.isSolid(reference, node.namespace)) return { reference, state: "solid" };
    if (["", node.namespace].some((namespace) => absent.has({ ...reference, namespace }))) return gone;
    const ref = await client.refOf(reference, { signal });
    if (ref.namespaced && node.namespace === "") return "invalid";
    const owner = await this.#owner(ref, reference.name, node, signal);
    if (owner?.metadata?.uid === reference.uid)
      return { reference, state: deletionStateOf(owner.metadata) === "foreground" ? "waiting" : "solid" };
    absent.add({ ...reference, namespace: ref.namespaced ? node.namespace : "" });
    return gone;
  }

  #owner(ref: ResourceRef, name: string, { namespace }: Node, signal: AbortSignal): Promise<KubeObject | undefined> {
    const owner = this.#options.client.resource<KubeObject>(ref).get(ref.namespaced ? { namespace, name } : { name }, { signal });
    return unlessNotFound(owner, ref, name);
  }

  async #act(plan: DependentPlan, node: Node, latest: KubeObject, options: PatchOptions): Promise<void> {
    switch (plan.do) {
      case "nothing":
        return;
      case "disown":
        return await disown(node, plan.uids, options);
      case "delete":
        if (plan.unblock) await unblock(node, options);
        return await this.#delete(node, latest, plan, options);
    }
  }

  /** The very object, with the very owners that it was judged by. */
  async #delete(
    node: Node,
    { metadata: { resourceVersion = "", ownerReferences } = {} }: KubeObject,
    { propagationPolicy, unblock: changed }: Extract<DependentPlan, { do: "delete" }>,
    { signal }: PatchOptions,
  ): Promise<void> {
    const resource = this.#options.client.resource<KubeObject>(node.ref);
    const { uid } = node;
    const remove = (preconditions: { uid: string; resourceVersion?: string }) =>
      unlessNotFound(resource.delete(targetOf(node), { preconditions, propagationPolicy, signal }), node.ref, node.name);
    try {
      await remove(changed ? { uid } : { uid, resourceVersion });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const now = await this.#read(node, signal);
      if (now === undefined) return;
      if (now.metadata?.resourceVersion === resourceVersion || !deepEqual(now.metadata?.ownerReferences, ownerReferences)) throw error;
      // Others change something else of it all the time: that is no reason to keep it.
      await remove({ uid });
    }
  }
}
