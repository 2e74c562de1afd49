/** Lets whoever writes through a client read from caches that show at least what was written. */
import { isNotFound, type KubeObject } from "@coxswain/machinery";
import { isGoing } from "../cache/store.ts";
import type { Client } from "../contracts/client.ts";
import type { ObjectRef } from "../contracts/resource-ref.ts";
import type { Informer } from "../informer/informer.ts";
import type { InformerSet } from "../informer/informer-set.ts";
import { type Bounds, within } from "../informer/within.ts";
import { expectGone, isSameOrGone, isServed, resolveDoubt } from "./confirm-write.ts";
import { canTell, describe, type Expectation, expectObject, isMet } from "./expectation.ts";
import { Ledger } from "./expectation-store.ts";
import { type OpenWrite, trackedClient, type Written } from "./tracked-client.ts";

export interface OwnWrites {
  /**
   * A client whose writes are made on behalf of this object, which need not be the one written; without one, on behalf
   * of each object that is written. Only requests of its `request` and `transport` are nobody's.
   */
  clientFor(owner?: ObjectRef): Client;
  /** Whether all that was written on behalf of this object is answered, and the caches show it. */
  caughtUp(owner: ObjectRef): boolean;
  /**
   * Resolves once they do. Where an answer was lost the server is asked what became of the write; where it cannot tell, the
   * caches do, and nothing is waited for longer than five minutes. Default `timeoutMs`: 30,000.
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

/** How long anything is waited for at most: as long as client-go waits for what it expects to see. */
const longestWaitMs = 300_000;
/** API servers give a request one minute: what has not taken effect by then never will, and a watch in order has told of the rest. */
const longestDoubtMs = 60_000;

/** A write of which it is not known whether it took effect, or what it left; `seen` where it was one of this process. */
type Doubt = Written & { readonly kind: "doubt"; readonly seen?: Seen };
/** A write that nobody has answered yet. */
type Sent = Written & { readonly kind: "sent"; readonly ended: Promise<void> };
type Open = Expectation | Doubt | Sent;

/** What the caches showed when a write was sent. */
type Seen = ReadonlyMap<Informer, KubeObject | undefined>;

const shownBy = ({ lister }: Informer, { namespace = "", name = "" }: Written): KubeObject | undefined => lister.get({ namespace, name });

class Tracker implements OwnWrites {
  readonly #client: Client;
  readonly #informers: Pick<InformerSet, "covering">;
  readonly #ledger: Ledger<Open>;

  constructor(client: Client, informers: Pick<InformerSet, "covering">) {
    this.#client = client;
    this.#informers = informers;
    this.#ledger = new Ledger(client.clock, (open, ageMs) => ageMs < longestWaitMs && this.#isOpen(open, ageMs));
  }

  clientFor(owner?: ObjectRef): Client {
    const key = owner === undefined ? undefined : keyOf(owner.namespace, owner.name);
    return trackedClient(this.#client, { begin: (what) => this.#begin(key, what) });
  }

  #begin(owner: string | undefined, what: Written): OpenWrite {
    const key = owner ?? keyOf(what.namespace, what.name);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const sent: Sent = { kind: "sent", ...what, ended };
    const seen = new Map(this.#covering(what).map((informer) => [informer, shownBy(informer, what)]));
    this.#ledger.add(key, [sent]);
    const end = (open: readonly Open[], where = key) => {
      this.#ledger.remove(key, sent);
      this.#ledger.add(where, open);
      resolve();
    };
    const doubt: Doubt = { kind: "doubt", ...what, seen };
    return {
      answered: (answer, mayHaveMore) => {
        const open = this.#covering(what).flatMap((informer) => expectObject(informer, answer) ?? []);
        // The server may have chosen the name.
        if (mayHaveMore) end([...open, doubt]);
        else end(open, owner ?? keyOf(what.namespace, answer.metadata?.name));
      },
      deleted: (uid, answer) => end(this.#expectDeleted(what, uid, answer, seen)),
      doubtful: () => end([doubt]),
      refused: () => end([]),
    };
  }

  #expectDeleted(what: Written, uid: string | undefined, answer: KubeObject | undefined, seen: Seen): readonly Open[] {
    const held = answer?.metadata?.deletionTimestamp !== undefined && !isGoing(answer);
    const { namespace = "", name = "" } = what;
    return this.#covering(what).flatMap((informer): Open | readonly Open[] => {
      if (held) return expectObject(informer, answer) ?? [];
      const meant = answer?.metadata?.uid ?? uid;
      if (meant !== undefined) return { kind: "gone", informer, object: { namespace, name }, uid: meant };
      // Which one it was nobody says; one that has come meanwhile may be its successor, which is to stay.
      const [before, here] = [seen.get(informer), shownBy(informer, what)];
      return before !== undefined && isSameOrGone(before, here) ? expectGone(informer, before) : { kind: "doubt", ...what, seen };
    });
  }

  caughtUp(owner: ObjectRef): boolean {
    return this.#ledger.empty || this.#openFor(owner).length === 0;
  }

  async settled(owner: ObjectRef, { signal, timeoutMs = 30_000 }: Partial<Bounds> = {}): Promise<void> {
    signal?.throwIfAborted();
    if (this.caughtUp(owner)) return;
    const stop = new AbortController();
    const late = () => new CacheBehindError(`what was written is not in the cache yet: ${this.#openFor(owner).map(tellOpen).join(", ")}`);
    try {
      await within(this.#settle(owner, stop.signal), this.#client.clock, { signal, timeoutMs }, late);
    } finally {
      // Nobody waits any more for what still goes on.
      stop.abort();
    }
  }

  async #settle(owner: ObjectRef, signal: AbortSignal): Promise<void> {
    const asked = new Set<Open>();
    for (;;) {
      const open = this.#openFor(owner);
      if (open.length === 0 || signal.aborted) return;
      const sent = open.filter(({ kind }) => kind === "sent") as readonly Sent[];
      const unclear = open.find((item) => !asked.has(item) && this.#doubtIn(item) !== undefined);
      if (sent.length > 0) await Promise.all(sent.map(({ ended }) => ended));
      else if (unclear !== undefined) for (const item of await this.#ask(owner, unclear, signal)) asked.add(item);
      else await this.#progress(owner, open, signal);
    }
  }

  /** What remains to be expected once the server has told. */
  async #ask(owner: ObjectRef, unclear: Open, signal: AbortSignal): Promise<readonly Open[]> {
    const doubt = this.#doubtIn(unclear);
    if (doubt === undefined) return [];
    const expected = await this.#resolve(doubt, signal);
    for (const key of this.#keysOf(owner)) this.#ledger.replace(key, unclear, expected);
    return expected;
  }

  async #resolve(doubt: Doubt, signal: AbortSignal): Promise<readonly Open[]> {
    try {
      return await resolveDoubt(doubt, this.#covering(doubt), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (this.#isShown(doubt)) return [];
      // What is of a resource that is not served any more has gone with it.
      if (isNotFound(error) && !(await isServed(this.#client, doubt.resource.ref, signal))) return [];
      throw error;
    }
  }

  /**
   * Whether the caches show something later than when the write was sent. It may be somebody else's change, which a server
   * that can be asked tells apart.
   */
  #isShown(doubt: Doubt): boolean {
    const { seen, name } = doubt;
    if (seen === undefined || name === undefined) return false;
    return this.#covering(doubt).every((informer) => {
      const [before, here] = [seen.get(informer)?.metadata, shownBy(informer, doubt)?.metadata];
      return informer.hasSynced && before?.resourceVersion !== here?.resourceVersion;
    });
  }

  /** Until the watches have brought something of what is expected. */
  async #progress(owner: ObjectRef, open: readonly Open[], signal: AbortSignal): Promise<void> {
    const end = Promise.withResolvers<void>();
    using listening = new DisposableStack();
    const look = () => {
      if (signal.aborted || this.#openFor(owner).length < open.length) end.resolve();
    };
    const informers = new Set(open.flatMap((item) => ("informer" in item ? item.informer : [])));
    for (const informer of informers) listening.use(informer.onProgress(look));
    signal.addEventListener("abort", look, { once: true });
    listening.defer(() => signal.removeEventListener("abort", look));
    look();
    await end.promise;
  }

  #doubtIn(open: Open): Doubt | undefined {
    if (open.kind === "doubt") return open;
    if (open.kind === "sent" || canTell(open)) return undefined;
    const { informer, object } = open;
    const resource = this.#client.resource<KubeObject>(informer.ref, informer.namespace);
    return { kind: "doubt", resource, namespace: object.namespace, name: object.name };
  }

  #covering({ resource, namespace }: Written): readonly Informer[] {
    return this.#informers.covering(resource.ref, namespace);
  }

  #openFor(owner: ObjectRef): readonly Open[] {
    return this.#keysOf(owner).flatMap((key) => this.#ledger.open(key));
  }

  #keysOf({ namespace, name }: ObjectRef): readonly string[] {
    if (namespace === undefined) return [keyOf("", name), keyOf("", ""), ...this.#keysOf({ namespace: this.#client.namespace, name })];
    return [keyOf(namespace, name), keyOf(namespace, ""), keyOf("", "")];
  }

  #isOpen(open: Open, ageMs: number): boolean {
    if (open.kind === "sent") return true;
    if (open.kind !== "doubt") return !isMet(open) && this.#isFollowed(open);
    const informers = this.#covering(open);
    if (ageMs >= longestDoubtMs && informers.every(({ freshness }) => freshness.state === "fresh")) return false;
    return informers.length > 0;
  }

  /** Nothing is to be expected of an informer that nobody uses any more. */
  #isFollowed({ informer, object }: Expectation): boolean {
    return this.#informers.covering(informer.ref, object.namespace).includes(informer);
  }
}

const keyOf = (namespace: string | undefined, name: string | undefined): string => `${namespace ?? ""}/${name ?? ""}`;

function tellOpen(open: Open): string {
  if (open.kind !== "doubt" && open.kind !== "sent") return describe(open);
  const outcome = open.kind === "sent" ? "not answered yet" : "of unknown outcome";
  return `${open.resource.ref.resource} ${keyOf(open.namespace, open.name)}, ${outcome}`;
}
