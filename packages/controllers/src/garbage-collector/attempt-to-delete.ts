/** Syncs one object at a time: deletes it when its owners are gone, and removes the finalizers of those whose dependents are. */
import { type Client, isObjectNotFound } from "@coxswain/client";
import type { AbsentOwnerCache } from "./absent-owner-cache.ts";
import { act } from "./act.ts";
import type { DependencyGraph } from "./dependency-graph.ts";
import { foregroundFinalizer, type Node, orphanFinalizer } from "./node.ts";
import { observe } from "./observe.ts";
import { disown, type PatchOptions, release } from "./owner-patches.ts";
import { plan } from "./plan.ts";

export interface GarbageCollectorOptions {
  readonly client: Client;
  readonly graph: DependencyGraph;
  readonly absent: AbsentOwnerCache;
  /** Puts an object in line. */
  readonly check: (uid: string) => void;
  /** Whether there may be objects that the graph lacks, because a watch is interrupted. */
  readonly isBlind: () => boolean;
}

/** `unseen`: an owner that exists, or dependents that may, have to be in the graph first; no event would bring the object back. */
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

  /** `failures`: how often in a row it failed before. @throws what the server answers; NoMatchError for an owner of a kind that is not served */
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
        return await this.#collectDependent(node, signal);
    }
  }

  /** Removes the owner from its dependents, and then its finalizer. */
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

  /** Removes the finalizer once no blocking dependent is left. */
  async #finish(node: Node, options: PatchOptions): Promise<void> {
    const blocking = this.#options.graph.blocking(node.uid);
    if (blocking.length === 0) await release(node, foregroundFinalizer, options);
    else for (const { uid, deletionState } of blocking) if (deletionState === "live") this.#options.check(uid);
  }

  async #collectDependent(node: Node, signal: AbortSignal): Promise<AttemptResult> {
    const { client, graph } = this.#options;
    const observed = await observe({ ...this.#options, released: this.#released }, node, signal);
    if (observed === undefined) return "done";
    const planned = plan(observed);
    await act(planned, observed, { client, signal });
    const kept = planned.do === "delete" ? [] : observed.owners.filter(({ state }) => state === "solid");
    return kept.every(({ reference }) => graph.get(reference.uid) !== undefined) ? "done" : "unseen";
  }
}
