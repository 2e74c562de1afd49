/** What a watch's events make of a copy, and the changes they amount to. Knows no time, no subscribers, no requests. */
import { cloneJson, type KubeObject } from "@coxswain/machinery";
import type { WatchEvent } from "../contracts/watch-event.ts";
import type { Change } from "./change.ts";
import { Indexer } from "./indexer.ts";
import { compareVersions, isComparable, isOlder } from "./resource-version.ts";

export interface StoreOptions<T extends KubeObject> {
  /** The namespace that refs without one mean. */
  readonly defaultNamespace: string;
  /** What is kept of an object that came. */
  readonly keep: (object: T) => T;
  /** Whether an object that was written belongs here; undefined when only the server knows. */
  readonly selects: (object: T) => boolean | undefined;
}

export class Store<T extends KubeObject> {
  readonly indexer: Indexer<T>;
  readonly #options: StoreOptions<T>;
  #position: string | undefined;
  #synced = false;

  constructor(options: StoreOptions<T>) {
    this.#options = options;
    this.indexer = new Indexer(options.defaultNamespace);
  }

  get hasSynced(): boolean {
    return this.#synced;
  }

  /** The version up to which nothing is missing. */
  get resourceVersion(): string | undefined {
    return this.#position;
  }

  apply(event: WatchEvent<T>): readonly Change<T>[] {
    switch (event.type) {
      case "LISTED":
        return this.#replaceAll(event.items, event.resourceVersion);
      case "BOOKMARK":
        this.#advance(event.resourceVersion);
        return [];
      case "ADDED":
      case "MODIFIED":
        this.#advance(event.object.metadata?.resourceVersion);
        return this.#keeps(event.object) ? [] : this.#put(this.#options.keep(event.object), false);
      case "DELETED":
        this.#advance(event.object.metadata?.resourceVersion);
        return this.#delete(event.object);
    }
  }

  /**
   * Takes what a write answered, ahead of the watch. Undefined when only the watch can show that.
   *
   * What the watch has passed is history, and the object may be gone since: it is taken only if it is ahead of both the
   * watch and what is here. From then on the watch's older events about it count for nothing.
   */
  take(object: T): readonly Change<T>[] | undefined {
    const version = object.metadata?.resourceVersion;
    if (!this.#synced || !isComparable(version) || !isComparable(this.#position)) return undefined;
    if (!isOlder(this.#position, version)) return [];
    const here = this.#namesake(object);
    if (here !== undefined && (compareVersions(here.metadata?.resourceVersion, version) ?? -1) >= 0) return [];
    const selected = this.#options.selects(object);
    if (selected === true && !isFinallyDeleted(object)) return this.#put(this.#options.keep(cloneJson(object) as T), false);
    // Who has never been here and does not belong here will not come.
    return selected === false && here === undefined ? [] : undefined;
  }

  #advance(version: string | undefined): void {
    if (version !== undefined && !isOlder(version, this.#position)) this.#position = version;
  }

  #namesake({ metadata }: T): T | undefined {
    return this.indexer.get({ namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" });
  }

  /** Whether what is here is that version already or, because it was taken ahead of the watch, a later one. */
  #keeps(object: T): boolean {
    const here = this.#namesake(object)?.metadata;
    return here !== undefined && (compareVersions(object.metadata?.resourceVersion, here.resourceVersion) ?? 1) <= 0;
  }

  #put(object: T, initial: boolean): Change<T>[] {
    const previous = this.indexer.put(object);
    if (previous === undefined) return [{ type: "added", object, initial }];
    if (previous.metadata?.uid === object.metadata?.uid) return [{ type: "updated", object, previous, resync: false }];
    return [
      { type: "deleted", object: previous, unseen: true },
      { type: "added", object, initial },
    ];
  }

  #delete(object: T): readonly Change<T>[] {
    const here = this.#namesake(object);
    if (here === undefined || isOlder(object.metadata?.resourceVersion, here.metadata?.resourceVersion)) return [];
    this.indexer.remove(object.metadata ?? {});
    const same = here.metadata?.uid === object.metadata?.uid;
    return [{ type: "deleted", object: same ? this.#options.keep(object) : here, unseen: !same }];
  }

  /** A list older than what is known means that the server's history restarted: then nothing here is worth keeping. */
  #replaceAll(items: readonly T[], resourceVersion: string): readonly Change<T>[] {
    const restored = isOlder(resourceVersion, this.#position);
    const initial = !this.#synced;
    const listed = new Set<T>();
    const changes: Change<T>[] = [];
    for (const item of items) {
      const here = this.#namesake(item);
      const kept = here !== undefined && !restored && this.#keeps(item) ? here : this.#options.keep(item);
      listed.add(kept);
      if (kept !== here) changes.push(...this.#put(kept, initial));
    }
    const gone = this.indexer
      .list()
      .filter((object) => !listed.has(object) && (restored || !isOlder(resourceVersion, object.metadata?.resourceVersion)));
    for (const object of gone) {
      this.indexer.remove(object.metadata ?? {});
      changes.push({ type: "deleted", object, unseen: true });
    }
    this.#position = resourceVersion;
    this.#synced = true;
    return changes;
  }
}

/** Nothing holds it any more: what was answered is its last state, and it is gone or about to be. */
export const isFinallyDeleted = ({ metadata, spec }: KubeObject): boolean =>
  metadata?.deletionTimestamp !== undefined &&
  (metadata.finalizers ?? []).length === 0 &&
  (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  !isHeldBySpec(spec);

/** Namespaces have finalizers of another kind, elsewhere. */
const isHeldBySpec = (spec: unknown): boolean =>
  ((spec as { readonly finalizers?: readonly unknown[] } | null | undefined)?.finalizers ?? []).length > 0;
