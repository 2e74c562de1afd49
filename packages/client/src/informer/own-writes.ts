/** Lets whoever writes through a client read from caches that show at least what was written. */
import type { KubeObject } from "@coxswain/machinery";
import type { Client } from "../rest/client.ts";
import type { ObjectRef } from "../rest/resource-ref.ts";
import { expectGone, resolveDoubt } from "./doubt.ts";
import { canTell, describe, type Expectation, expectObject, isMet } from "./expectation.ts";
import type { Informer } from "./informer.ts";
import type { InformerSet } from "./informer-set.ts";
import { isGoing } from "./replica.ts";
import { trackedClient, type WriteLog, type Written } from "./tracked-client.ts";
import { type Bounds, within } from "./within.ts";

export interface OwnWrites {
  /**
   * A client whose writes are made on behalf of this object, which need not be the one written; without one, on behalf
   * of each object that is written. Only requests of its `request` and `transport` are nobody's.
   */
  clientFor(owner?: ObjectRef): Client;
  /** Whether the caches show all that was written on behalf of this object, and nobody doubts what that was. */
  caughtUp(owner: ObjectRef): boolean;
  /**
   * Resolves once they do. Where an answer was lost the server is asked what became of the write. Default `timeoutMs`: 30,000.
   * @throws CacheBehindError when that takes too long: whoever acts all the same acts on the past
   */
  settled(owner: ObjectRef, bounds?: Partial<Bounds>): Promise<void>;
}

/** The caches do not show yet what was written. */
export class CacheBehindError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CacheBehindError";
  }
}

/**
 * Where the cache can take what a write answered ahead of its watch, there is nothing to wait for; elsewhere it is the
 * watch that must come so far. That needs versions that can be compared; where they cannot, the cache must show the very
 * version that a consistent read gives.
 */
export const createOwnWrites = (client: Client, informers: Pick<InformerSet, "covering">): OwnWrites => new Tracker(client, informers);

/** A write of which it is not known whether it took effect, or what it left. */
type Doubt = Written & { readonly kind: "doubt" };
type Open = Expectation | Doubt;

class Tracker implements OwnWrites {
  readonly #client: Client;
  readonly #informers: Pick<InformerSet, "covering">;
  /** By owner. */
  readonly #open = new Map<string, Open[]>();
  /** Owners that nobody asks about any more are forgotten when there are so many. */
  #sweepAt = 1_000;

  constructor(client: Client, informers: Pick<InformerSet, "covering">) {
    this.#client = client;
    this.#informers = informers;
  }

  clientFor(owner?: ObjectRef): Client {
    const key = owner === undefined ? undefined : keyOf(owner.namespace, owner.name);
    const add = ({ namespace, name }: Written, open: readonly Open[]) => this.#add(key ?? keyOf(namespace, name), open);
    const log: WriteLog = {
      answered: (what, answer) =>
        add(
          whereIs(what, answer),
          this.#covering(what).flatMap((informer) => expectObject(informer, answer) ?? []),
        ),
      deleted: (what, uid, answer) => add(what, this.#expectDeleted(what, uid, answer)),
      doubtful: (what) => add(what, this.#covering(what).length === 0 ? [] : [{ kind: "doubt", ...what }]),
    };
    return trackedClient(this.#client, log);
  }

  caughtUp(owner: ObjectRef): boolean {
    return this.#open.size === 0 || this.#keysOf(owner).every((key) => this.#stillOpen(key).length === 0);
  }

  async settled(owner: ObjectRef, { signal, timeoutMs = 30_000 }: Partial<Bounds> = {}): Promise<void> {
    signal?.throwIfAborted();
    if (this.caughtUp(owner)) return;
    const stop = new AbortController();
    const late = () => {
      const open = this.#keysOf(owner).flatMap((key) => this.#stillOpen(key));
      return new CacheBehindError(`what was written is not in the cache yet: ${open.map(tellOpen).join(", ")}`);
    };
    try {
      await within(this.#settle(owner, stop.signal), this.#client.clock, { signal, timeoutMs }, late);
    } finally {
      // Nobody waits any more for what still goes on.
      stop.abort();
    }
  }

  async #settle(owner: ObjectRef, signal: AbortSignal): Promise<void> {
    for (const key of this.#keysOf(owner)) {
      for (const open of this.#stillOpen(key)) {
        const doubt = this.#doubtIn(open);
        if (doubt !== undefined) this.#replace(key, open, await resolveDoubt(doubt, this.#covering(doubt), signal));
      }
    }
    await this.#progress(owner, signal);
  }

  /** Waits for the watches of which something is expected. */
  async #progress(owner: ObjectRef, signal: AbortSignal): Promise<void> {
    const end = Promise.withResolvers<void>();
    using listening = new DisposableStack();
    const look = () => {
      if (signal.aborted || this.caughtUp(owner)) end.resolve();
    };
    const open = this.#keysOf(owner).flatMap((key) => this.#stillOpen(key));
    const informers = new Set(open.flatMap((item) => (item.kind === "doubt" ? [] : item.informer)));
    for (const informer of informers) listening.use(informer.onProgress(look));
    signal.addEventListener("abort", look, { once: true });
    listening.defer(() => signal.removeEventListener("abort", look));
    look();
    await end.promise;
  }

  #doubtIn(open: Open): Doubt | undefined {
    if (open.kind === "doubt") return open;
    if (canTell(open)) return undefined;
    const { informer, object } = open;
    const resource = this.#client.resource<KubeObject>(informer.ref, informer.namespace);
    return { kind: "doubt", resource, namespace: object.namespace, name: object.name };
  }

  #expectDeleted(what: Written, uid: string | undefined, answer: KubeObject | undefined): readonly Open[] {
    const held = answer?.metadata?.deletionTimestamp !== undefined && !isGoing(answer);
    const { namespace = "", name = "" } = what;
    return this.#covering(what).flatMap((informer): Open | readonly Open[] => {
      if (held) return expectObject(informer, answer) ?? [];
      const meant = answer?.metadata?.uid ?? uid;
      if (meant !== undefined) return { kind: "gone", informer, object: { namespace, name }, uid: meant };
      const here = informer.lister.get({ namespace, name });
      return here === undefined ? { kind: "doubt", ...what } : expectGone(informer, here);
    });
  }

  #covering({ resource, namespace }: Written): readonly Informer[] {
    return this.#informers.covering(resource.ref, namespace);
  }

  #keysOf({ namespace, name }: ObjectRef): readonly string[] {
    if (namespace === undefined) return [keyOf("", name), keyOf("", ""), ...this.#keysOf({ namespace: this.#client.namespace, name })];
    return [keyOf(namespace, name), keyOf(namespace, ""), keyOf("", "")];
  }

  #add(key: string, open: readonly Open[]): void {
    if (open.length === 0) return;
    this.#open.set(key, [...this.#stillOpen(key), ...open]);
    if (this.#open.size < this.#sweepAt) return;
    for (const other of this.#open.keys()) this.#stillOpen(other);
    this.#sweepAt = Math.max(1_000, this.#open.size * 2);
  }

  #replace(key: string, open: Open, by: readonly Open[]): void {
    this.#open.set(key, [...(this.#open.get(key) ?? []).filter((other) => other !== open), ...by]);
  }

  #stillOpen(key: string): readonly Open[] {
    const all = this.#open.get(key);
    if (all === undefined) return [];
    const open = all.filter((item) => item.kind === "doubt" || (!isMet(item) && this.#isFollowed(item)));
    if (open.length === 0) this.#open.delete(key);
    else if (open.length < all.length) this.#open.set(key, open);
    return open;
  }

  /** Nothing is to be expected of an informer that nobody uses any more. */
  #isFollowed({ informer, object }: Expectation): boolean {
    return this.#informers.covering(informer.ref, object.namespace).includes(informer);
  }
}

const keyOf = (namespace: string | undefined, name: string | undefined): string => `${namespace ?? ""}/${name ?? ""}`;

/** The server may have chosen the name. */
const whereIs = (what: Written, { metadata }: KubeObject): Written => ({ ...what, name: metadata?.name });

const tellOpen = (open: Open): string =>
  open.kind === "doubt" ? `${open.resource.ref.resource} ${keyOf(open.namespace, open.name)}, of unknown outcome` : describe(open);
