/** Lets whoever writes through a client read from caches that show at least what was written. */
import { DisposableStack, isNotFound, type KubeObject } from "@coxswain/machinery";
import { isFinallyDeleted } from "../cache/store.ts";
import type { Client } from "../contracts/client.ts";
import type { ObjectRef } from "../contracts/resource-ref.ts";
import type { Informer } from "../informer/informer.ts";
import type { InformerSet } from "../informer/informer-set.ts";
import { type Bounds, within } from "../informer/within.ts";
import { confirmWrite, expectGone, isSameOrGone, isServed } from "./confirm-write.ts";
import { describeExpectation, type Expectation, expectObject, isMet, isObservable } from "./expectation.ts";
import { ExpectationStore } from "./expectation-store.ts";
import { type OpenWrite, trackedClient, type WriteTarget } from "./tracked-client.ts";

/**
 * Tracks what a process has written until its caches show it, by the object on whose behalf it was written: what
 * ControllerExpectations do for the controllers of kube-controller-manager, for writes of any kind.
 */
export interface Expectations {
  /**
   * A client whose writes are made on behalf of this object, which need not be the one written; without one, on behalf
   * of each object that is written. Only requests of its `request` and `transport` belong to no owner.
   */
  clientFor(owner?: ObjectRef): Client;
  /** Whether all that was written on behalf of this object is answered, and the caches show it. */
  satisfied(owner: ObjectRef): boolean;
  /**
   * Resolves once they do. Where an answer was lost the server is asked what became of the write; where it does not know, the
   * caches do, and nothing is waited for longer than five minutes. Default `timeoutMs`: 30,000.
   * @throws CacheBehindError when that takes too long: whoever acts all the same acts on the past
   */
  untilSatisfied(owner: ObjectRef, bounds?: Partial<Bounds>): Promise<void>;
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
export const createExpectations = (client: Client, informers: Pick<InformerSet, "covering">, reader?: Client): Expectations =>
  new TrackedExpectations(client, informers, reader);

/** How long anything is waited for at most: as long as client-go waits for what it expects to see. */
const expectationsTimeoutMs = 300_000;
/** API servers give a request one minute: what has not taken effect by then never will, and a watch in order has shown the rest. */
const maxUnconfirmedMs = 60_000;

/** A write of which it is not known whether it took effect, or what it left; `seen` where it was one of this process. */
type UnconfirmedWrite = WriteTarget & { readonly kind: "unconfirmed"; readonly seen?: CacheSnapshot };
/** A write without an answer yet. */
type WriteInFlight = WriteTarget & { readonly kind: "inFlight"; readonly ended: Promise<void> };
type OpenExpectation = Expectation | UnconfirmedWrite | WriteInFlight;

/** What the caches showed when a write was sent. */
type CacheSnapshot = ReadonlyMap<Informer, KubeObject | undefined>;

const shownBy = ({ lister }: Informer, { namespace = "", name = "" }: WriteTarget): KubeObject | undefined =>
  lister.get({ namespace, name });

class TrackedExpectations implements Expectations {
  readonly #client: Client;
  readonly #informers: Pick<InformerSet, "covering">;
  readonly #store: ExpectationStore<OpenExpectation>;
  readonly #reader: Client | undefined;

  constructor(client: Client, informers: Pick<InformerSet, "covering">, reader: Client | undefined) {
    this.#client = client;
    this.#reader = reader;
    this.#informers = informers;
    this.#store = new ExpectationStore(client.clock, (open, ageMs) => ageMs < expectationsTimeoutMs && this.#isOpen(open, ageMs));
  }

  clientFor(owner?: ObjectRef): Client {
    const key = owner === undefined ? undefined : ownerKey(owner.namespace, owner.name);
    return trackedClient(this.#client, { begin: (what) => this.#begin(key, what) });
  }

  #begin(owner: string | undefined, what: WriteTarget): OpenWrite {
    const key = owner ?? ownerKey(what.namespace, what.name);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const inFlight: WriteInFlight = { kind: "inFlight", ...what, ended };
    const seen = new Map(this.#covering(what).map((informer) => [informer, shownBy(informer, what)]));
    this.#store.add(key, [inFlight]);
    const end = (open: readonly OpenExpectation[], where = key) => {
      this.#store.remove(key, inFlight);
      this.#store.add(where, open);
      resolve();
    };
    const unconfirmed: UnconfirmedWrite = { kind: "unconfirmed", ...what, seen };
    return {
      answered: (answer, mayHaveMore) => {
        const open = this.#covering(what).flatMap((informer) => expectObject(informer, answer) ?? []);
        // The server may have chosen the name.
        if (mayHaveMore) end([...open, unconfirmed]);
        else end(open, owner ?? ownerKey(what.namespace, answer.metadata?.name));
      },
      deleted: (uid, answer) => end(this.#expectDeleted(what, uid, answer, seen)),
      unconfirmed: () => end([unconfirmed]),
      rejected: () => end([]),
    };
  }

  #expectDeleted(
    what: WriteTarget,
    uid: string | undefined,
    answer: KubeObject | undefined,
    seen: CacheSnapshot,
  ): readonly OpenExpectation[] {
    const held = answer?.metadata?.deletionTimestamp !== undefined && !isFinallyDeleted(answer);
    const { namespace = "", name = "" } = what;
    return this.#covering(what).flatMap((informer): OpenExpectation | readonly OpenExpectation[] => {
      if (held) return expectObject(informer, answer) ?? [];
      const meant = answer?.metadata?.uid ?? uid;
      if (meant !== undefined) return { kind: "gone", informer, object: { namespace, name }, uid: meant };
      // Which one it was is unknown; one that has come meanwhile may be its successor, which is to stay.
      const [before, here] = [seen.get(informer), shownBy(informer, what)];
      return before !== undefined && isSameOrGone(before, here) ? expectGone(informer, before) : { kind: "unconfirmed", ...what, seen };
    });
  }

  satisfied(owner: ObjectRef): boolean {
    return this.#store.empty || this.#openFor(owner).length === 0;
  }

  async untilSatisfied(owner: ObjectRef, { signal, timeoutMs = 30_000 }: Partial<Bounds> = {}): Promise<void> {
    signal?.throwIfAborted();
    if (this.satisfied(owner)) return;
    const stop = new AbortController();
    const late = () =>
      new CacheBehindError(`what was written is not in the cache yet: ${this.#openFor(owner).map(describeOpen).join(", ")}`);
    try {
      await within(this.#settle(owner, stop.signal), this.#client.clock, { signal, timeoutMs }, late);
    } finally {
      // What is still pending is no longer awaited.
      stop.abort();
    }
  }

  async #settle(owner: ObjectRef, signal: AbortSignal): Promise<void> {
    const asked = new Set<OpenExpectation>();
    for (;;) {
      const open = this.#openFor(owner);
      if (open.length === 0 || signal.aborted) return;
      const sent = open.filter(({ kind }) => kind === "inFlight") as readonly WriteInFlight[];
      const unclear = open.find((item) => !asked.has(item) && this.#unconfirmedIn(item) !== undefined);
      if (sent.length > 0) await Promise.all(sent.map(({ ended }) => ended));
      else if (unclear !== undefined) for (const item of await this.#confirm(owner, unclear, signal)) asked.add(item);
      else await this.#progress(owner, open, signal);
    }
  }

  /** What remains to be expected once the server has answered. */
  async #confirm(owner: ObjectRef, unclear: OpenExpectation, signal: AbortSignal): Promise<readonly OpenExpectation[]> {
    const unconfirmed = this.#unconfirmedIn(unclear);
    if (unconfirmed === undefined) return [];
    const expected = await this.#resolve(unconfirmed, signal);
    for (const key of this.#keysOf(owner)) this.#store.replace(key, unclear, expected);
    return expected;
  }

  async #resolve(unconfirmed: UnconfirmedWrite, signal: AbortSignal): Promise<readonly OpenExpectation[]> {
    try {
      return await confirmWrite(unconfirmed, this.#covering(unconfirmed), signal, this.#reader);
    } catch (error) {
      if (signal.aborted) throw error;
      if (this.#isShown(unconfirmed)) return [];
      // What is of a resource that is not served any more has gone with it.
      if (isNotFound(error) && !(await isServed(this.#client, unconfirmed.resource.ref, signal))) return [];
      throw error;
    }
  }

  /**
   * Whether the caches show something later than when the write was sent. It may be the change of another client, which a server
   * that can be read distinguishes.
   */
  #isShown(unconfirmed: UnconfirmedWrite): boolean {
    const { seen, name } = unconfirmed;
    if (seen === undefined || name === undefined) return false;
    return this.#covering(unconfirmed).every((informer) => {
      const [before, here] = [seen.get(informer)?.metadata, shownBy(informer, unconfirmed)?.metadata];
      return informer.hasSynced && before?.resourceVersion !== here?.resourceVersion;
    });
  }

  /** Until the watches have brought something of what is expected. */
  async #progress(owner: ObjectRef, open: readonly OpenExpectation[], signal: AbortSignal): Promise<void> {
    const end = Promise.withResolvers<void>();
    using listening = new DisposableStack();
    const check = () => {
      if (signal.aborted || this.#openFor(owner).length < open.length) end.resolve();
    };
    const informers = new Set(open.flatMap((item) => ("informer" in item ? item.informer : [])));
    for (const informer of informers) listening.use(informer.onProgress(check));
    signal.addEventListener("abort", check, { once: true });
    listening.defer(() => signal.removeEventListener("abort", check));
    check();
    await end.promise;
  }

  #unconfirmedIn(open: OpenExpectation): UnconfirmedWrite | undefined {
    if (open.kind === "unconfirmed") return open;
    if (open.kind === "inFlight" || isObservable(open)) return undefined;
    const { informer, object } = open;
    const resource = this.#client.resource<KubeObject>(informer.ref, informer.namespace);
    return { kind: "unconfirmed", resource, namespace: object.namespace, name: object.name };
  }

  #covering({ resource, namespace }: WriteTarget): readonly Informer[] {
    return this.#informers.covering(resource.ref, namespace);
  }

  #openFor(owner: ObjectRef): readonly OpenExpectation[] {
    return this.#keysOf(owner).flatMap((key) => this.#store.open(key));
  }

  #keysOf({ namespace, name }: ObjectRef): readonly string[] {
    if (namespace === undefined)
      return [ownerKey("", name), ownerKey("", ""), ...this.#keysOf({ namespace: this.#client.namespace, name })];
    return [ownerKey(namespace, name), ownerKey(namespace, ""), ownerKey("", "")];
  }

  #isOpen(open: OpenExpectation, ageMs: number): boolean {
    if (open.kind === "inFlight") return true;
    if (open.kind !== "unconfirmed") return !isMet(open) && this.#isFollowed(open);
    const informers = this.#covering(open);
    if (ageMs >= maxUnconfirmedMs && informers.every(({ freshness }) => freshness.state === "fresh")) return false;
    return informers.length > 0;
  }

  /** Nothing is to be expected of an informer that is no longer used. */
  #isFollowed({ informer, object }: Expectation): boolean {
    return this.#informers.covering(informer.ref, object.namespace).includes(informer);
  }
}

const ownerKey = (namespace: string | undefined, name: string | undefined): string => `${namespace ?? ""}/${name ?? ""}`;

function describeOpen(open: OpenExpectation): string {
  if (open.kind !== "unconfirmed" && open.kind !== "inFlight") return describeExpectation(open);
  const outcome = open.kind === "inFlight" ? "not answered yet" : "of unknown outcome";
  return `${open.resource.ref.resource} ${ownerKey(open.namespace, open.name)}, ${outcome}`;
}
