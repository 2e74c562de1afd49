import { apiVersionOf, type KubeObject, type Timer } from "@coxswain/machinery";
import type { Change, Subscriber } from "../cache/change.ts";
import type { Indexes, Lister } from "../cache/lister.ts";
import { selects } from "../cache/selects.ts";
import { Store } from "../cache/store.ts";
import { deepFreeze, sharingManagedFields } from "../cache/transforms.ts";
import type { ResourceClient } from "../contracts/client.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import type { WatchEvent, WatchInterruption } from "../contracts/watch-event.ts";
import { isWorthLogging, loggedError } from "../logging/logged-error.ts";
import { FreshnessMonitor } from "./freshness-monitor.ts";
import type { Freshness, Informer, InformerOptions, InformerSelection } from "./informer.ts";
import { Listeners } from "./listeners.ts";

/** Two bookmarks may be missed, and half a minute. */
const staleAfterMs = 150_000;

/** Creates an informer, which `run` starts. @throws badRequest() for a selector that cannot be read */
export const createInformer = <T extends KubeObject>(resource: ResourceClient<T>, options: InformerOptions<T>): Informer<T> =>
  new CachingInformer(resource, options);

class CachingInformer<T extends KubeObject> implements Informer<T> {
  readonly ref: ResourceRef<T>;
  readonly namespace: string | undefined;
  readonly selection: InformerSelection;
  readonly synced: Promise<void>;
  readonly #resource: ResourceClient<T>;
  readonly #options: InformerOptions<T>;
  readonly #store: Store<T>;
  readonly #freshness: FreshnessMonitor;
  readonly #sync = Promise.withResolvers<void>();
  /** Aborted with what a listener has thrown, when there is no `failed` callback. */
  readonly #failed = new AbortController();
  readonly #subscribers = new Listeners<Change<T>>((error) => this.#fail(error));
  readonly #freshnessListeners = new Listeners<Freshness>((error) => this.#fail(error));
  readonly #progressListeners = new Listeners<void>((error) => this.#fail(error));
  /** Since the watch last brought something. */
  #interruptions = 0;
  #started = false;
  #resync: Timer | undefined;

  constructor(resource: ResourceClient<T>, options: InformerOptions<T>) {
    this.ref = resource.ref;
    this.namespace = resource.namespace;
    this.selection = selectionOf(options);
    this.#resource = resource;
    this.#options = options;
    this.#store = new Store({
      defaultNamespace: resource.namespace ?? "",
      keep: keeping(resource.ref, options),
      selects: selects({ ...options, namespace: resource.namespace }),
    });
    this.#store.indexer.addIndexes(options.indexes ?? {});
    this.#freshness = new FreshnessMonitor(options.clock, options.staleAfterMs ?? staleAfterMs, () =>
      this.#freshnessListeners.notify([this.freshness]),
    );
    this.synced = this.#sync.promise;
    // Who does not wait for it need not handle that it never comes.
    this.synced.catch(() => undefined);
  }

  get lister(): Lister<T> {
    return this.#store.indexer;
  }

  get hasSynced(): boolean {
    return this.#store.hasSynced;
  }

  get freshness(): Freshness {
    return { state: this.#freshness.state, since: this.#freshness.since, resourceVersion: this.#store.resourceVersion };
  }

  subscribe(fn: Subscriber<T>): Disposable {
    const there = this.#store.indexer.list().map((object): Change<T> => ({ type: "added", object, initial: true }));
    return this.#subscribers.add(fn, there);
  }

  onFreshness(fn: (freshness: Freshness) => void): Disposable {
    return this.#freshnessListeners.add(fn);
  }

  onProgress(fn: () => void): Disposable {
    return this.#progressListeners.add(fn);
  }

  addIndexes(indexes: Indexes<T>): void {
    this.#store.indexer.addIndexes(indexes);
  }

  take(object: T): boolean {
    // In another version it looks different.
    if (object.apiVersion !== apiVersionOf(this.ref)) return false;
    const changes = this.#store.take(object);
    if (changes !== undefined) this.#subscribers.notify(changes);
    return changes !== undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new TypeError("an informer runs once");
    this.#started = true;
    const stop = AbortSignal.any([signal, this.#failed.signal]);
    try {
      await this.#follow(stop).catch((error: unknown) => {
        if (!stop.aborted) throw error;
      });
      if (this.#failed.signal.aborted) throw this.#failed.signal.reason;
      if (!signal.aborted) throw new Error(`the watch of ${this.ref.resource} has ended`);
    } finally {
      this.#resync?.[Symbol.dispose]();
      this.#freshness[Symbol.dispose]();
      this.#sync.reject(stop.reason ?? new Error(`the watch of ${this.ref.resource} has ended`));
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const events = this.#resource.watch({
      signal,
      onInterrupted: (interruption) => this.#interrupted(interruption),
      onConnected: () => this.#freshness.connected(),
      ...this.selection,
    });
    for await (const event of events) {
      if (signal.aborted) return;
      this.#apply(event);
    }
  }

  #apply(event: WatchEvent<T>): void {
    const first = !this.#store.hasSynced;
    const changes = this.#store.apply(event);
    this.#interruptions = 0;
    if (!this.#store.hasSynced) return;
    this.#freshness.alive();
    if (changes.length > 0) this.#subscribers.notify(changes);
    if (first) this.#begin();
    this.#progressListeners.notify(once);
  }

  /** The first complete copy is there, and the subscribers know it. */
  #begin(): void {
    this.#sync.resolve();
    const { clock, resyncMs } = this.#options;
    if (resyncMs === undefined || this.#failed.signal.aborted) return;
    const resyncAll = () => {
      this.#resync = clock.schedule(resyncMs, resyncAll);
      const all = this.#store.indexer.list();
      this.#subscribers.notify(all.map((object) => ({ type: "updated", object, previous: object, resync: true })));
    };
    this.#resync = clock.schedule(resyncMs, resyncAll);
  }

  #interrupted({ error, afterMs }: WatchInterruption): void {
    const interruptions = ++this.#interruptions;
    const fields = { resource: this.ref.resource, namespace: this.namespace, error: loggedError(error), interruptions, afterMs };
    if (isWorthLogging(interruptions)) this.#options.log?.warn(fields, "failed to watch; retried");
    this.#freshness.interrupted();
  }

  #fail(error: unknown): void {
    if (this.#options.log === undefined) this.#failed.abort(error);
    else this.#options.log.error({ resource: this.ref.resource, error }, "failed to handle a change in an informer's subscriber");
  }
}

const once: readonly [undefined] = [undefined];

const selectionOf = <T extends KubeObject>({ labelSelector, fieldSelector, metadataOnly }: InformerOptions<T>): InformerSelection => ({
  ...(metadataOnly === undefined ? {} : { metadataOnly }),
  ...(labelSelector === undefined ? {} : { labelSelector }),
  ...(fieldSelector === undefined ? {} : { fieldSelector }),
});

/** What is kept of an object that came. */
function keeping<T extends KubeObject>(ref: ResourceRef<T>, options: InformerOptions<T>): (object: T) => T {
  const steps: ((object: T) => T)[] = [];
  if (options.metadataOnly === true) steps.push(onlyMetadata(ref));
  if (options.transform !== undefined) steps.push(options.transform);
  // What can be changed cannot be shared.
  if (options.freeze !== false) steps.push(sharingManagedFields(), deepFreeze);
  return (object) => steps.reduce((kept, step) => step(kept), object);
}

/** One type serves both what came whole and what came without the rest. */
function onlyMetadata<T extends KubeObject>(ref: ResourceRef<T>): (object: T) => T {
  const apiVersion = apiVersionOf(ref);
  return ({ metadata = {} }) => {
    const kept: KubeObject = { apiVersion, kind: ref.kind, metadata };
    return kept as T;
  };
}
