/** All watches of the server: who sees what, when each ends, and that each event is encoded once for all who see the same. */
import type { ResourceDefinition } from "@coxswain/api";
import { type Clock, expired, failure, type Timer } from "@coxswain/machinery";
import { CompactedError, type Entry, type Revision, type Store } from "@coxswain/store";
import type { Sink } from "../contracts/http.ts";
import type { WatchMetrics } from "../contracts/metrics.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { isConverted } from "../storage/versions.ts";
import { Backlog } from "./backlog.ts";
import { WatchConversions } from "./conversion-queue.ts";
import { EventEncoder, type WatchView } from "./event-encoder.ts";
import { WatchGroup } from "./group.ts";
import { Watcher } from "./watcher.ts";

/** Where a watch begins. */
export type Start =
  /** With the changes after a revision. */
  | { readonly kind: "after"; readonly revision: Revision }
  /** With what is there, then the changes; a bookmark marks the border for who takes bookmarks. */
  | { readonly kind: "snapshot"; readonly revision: Revision; readonly entries: readonly Entry[] }
  /** Not at all: what is there now could only be found out after its time is up. */
  | { readonly kind: "late" };

export interface WatchRequest {
  readonly view: WatchView;
  readonly start: Start;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
}

export interface HubOptions {
  readonly store: Store;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly metrics: WatchMetrics;
  /** Whether a resource is still served as this definition says: watches of others end at once. */
  readonly serves: (definition: ResourceDefinition) => boolean;
}

/** Those who are due at about the same time are looked at together. */
const sweepMs = 250;
const bookmarkMs = 60_000;
const lastBookmarkMs = 2_000;

export class WatchHub {
  readonly #options: HubOptions;
  readonly #conversions: WatchConversions;
  readonly #backlog: Backlog;
  readonly #groups = new Map<string, WatchGroup>();
  readonly #watchers = new Map<Watcher, WatchGroup | EventEncoder>();
  /** Set as long as there are watches: for the first that is due. */
  #sweep: { readonly timer: Timer; readonly due: number } | undefined;
  #unique = 0;
  #closing = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#conversions = new WatchConversions(options.cache);
    this.#backlog = new Backlog(options.store, this.#conversions);
  }

  get size(): number {
    return this.#watchers.size;
  }

  /**
   * Serves a watch until its time is up or its client goes. Headers are sent already. Resolves when what was there at the beginning
   * has been written.
   */
  async serve(request: WatchRequest, sink: Sink): Promise<void> {
    const { clock, cache } = this.#options;
    const now = clock.monotonic();
    const deadline = now + request.timeoutMs;
    const watcher = new Watcher(sink, { bookmarks: request.bookmarks, deadline, nextBookmark: nextBookmark(now, deadline) });
    const encoder = new EventEncoder(request.view, cache, () => clock.now());
    this.#watchers.set(watcher, encoder);
    sink.onClose(() => this.#remove(watcher));
    if (this.#closing || !this.#options.serves(request.view.resource.definition)) {
      sink.end();
      return;
    }
    this.#schedule(dueOf(watcher));
    try {
      await this.#begin(watcher, encoder, request);
    } catch (error) {
      const compacted = error instanceof CompactedError;
      const last = compacted
        ? encoder.error(expired(`too old resource version: ${error.asked} (${error.oldest})`).status)
        : encoder.failure(error);
      watcher.fail(last);
    }
  }

  /** Ends every watch as its timeout would, and every later one at once. */
  close(): void {
    this.#closing = true;
    for (const watcher of [...this.#watchers.keys()]) this.#finish(watcher);
  }

  /** Ends the watches of resources that are gone or have become others, as their timeout would: clients watch again. */
  retire(definitions: ReadonlySet<ResourceDefinition>): void {
    for (const [watcher, joined] of [...this.#watchers]) if (definitions.has(joined.view.resource.definition)) this.#finish(watcher);
  }

  async #begin(watcher: Watcher, encoder: EventEncoder, { view, start }: WatchRequest): Promise<void> {
    if (start.kind === "late") throw failure(500, "InternalError", "context deadline exceeded");
    let after = start.revision;
    if (start.kind === "snapshot") {
      for (const entry of await this.#conversions.entries(start.entries, view.resource)) {
        if (watcher.sink.closed) return;
        if (!view.selection.matches(entry)) continue;
        if (!watcher.sink.write(encoder.object("ADDED", entry, entry.modified))) await watcher.sink.drained();
      }
      if (watcher.bookmarks && !watcher.sink.closed) watcher.sink.write(encoder.bookmark(start.revision, true));
    }
    // The backlog is written as fast as the client reads; once nothing is left of it, and in the same turn, the watcher
    // joins its group, so that no event falls between.
    const shared = isAlone(view) ? undefined : keyOf(view);
    while (after < this.#options.store.revision) {
      const piece = shared === undefined ? await this.#backlog.next(encoder, after) : this.#backlog.nextShared(encoder, after, shared);
      for (const bytes of piece.writes) {
        if (watcher.sink.closed) return;
        if (!watcher.sink.write(bytes)) await watcher.sink.drained();
      }
      after = piece.revision;
      // However fast the client reads, others have their turn between two pieces.
      if (after < this.#options.store.revision) await new Promise((resolve) => setImmediate(resolve));
      if (watcher.sink.closed) return;
    }
    this.#join(watcher, encoder, view, after);
  }

  #join(watcher: Watcher, encoder: EventEncoder, view: WatchView, after: Revision): void {
    if (watcher.sink.closed) return;
    const { store, metrics } = this.#options;
    const { group, version, resource } = view.resource.definition;
    const series = metrics.watchEventsOf(group, version, resource);
    // A watch from the future must wait.
    const alone = isAlone(view) || after > store.revision;
    const key = alone ? `unique ${this.#unique++}` : keyOf(view);
    const known = this.#groups.get(key);
    // As at a timeout: clients watch again, learn that their version is too old, and list.
    const onReplaced = ({ members }: WatchGroup): void => {
      for (const member of [...members]) this.#finish(member);
    };
    const joined = known ?? new WatchGroup(key, view, encoder, { store, series, after, conversions: this.#conversions, onReplaced });
    if (known === undefined) this.#groups.set(key, joined);
    else joined.flush();
    joined.members.add(watcher);
    this.#watchers.set(watcher, joined);
  }

  #remove(watcher: Watcher): void {
    const joined = this.#watchers.get(watcher);
    this.#watchers.delete(watcher);
    if (this.#watchers.size === 0) this.#unschedule();
    if (!(joined instanceof WatchGroup)) return;
    joined.members.delete(watcher);
    if (joined.members.size > 0) return;
    joined.close();
    this.#groups.delete(joined.key);
  }

  #schedule(due: number): void {
    if (this.#sweep !== undefined && this.#sweep.due <= due) return;
    this.#unschedule();
    const { clock } = this.#options;
    const timer = clock.schedule(Math.max(sweepMs, due - clock.monotonic()), () => {
      this.#sweep = undefined;
      this.#tick();
    });
    timer.unref();
    this.#sweep = { timer, due };
  }

  #unschedule(): void {
    this.#sweep?.timer[Symbol.dispose]();
    this.#sweep = undefined;
  }

  #tick(): void {
    const now = this.#options.clock.monotonic();
    for (const watcher of [...this.#watchers.keys()]) {
      if (now >= watcher.deadline) this.#finish(watcher);
      else if (watcher.bookmarks && now >= watcher.nextBookmark) {
        watcher.nextBookmark = nextBookmark(now, watcher.deadline);
        this.#bookmark(watcher);
      }
    }
    let due = Number.POSITIVE_INFINITY;
    for (const watcher of this.#watchers.keys()) due = Math.min(due, dueOf(watcher));
    if (this.#watchers.size > 0) this.#schedule(due);
  }

  #finish(watcher: Watcher): void {
    const joined = this.#watchers.get(watcher);
    if (joined instanceof WatchGroup) joined.flush();
    this.#remove(watcher);
    if (!watcher.sink.closed) watcher.sink.end();
  }

  /** Only for who has caught up: then all events up to now have been written. */
  #bookmark(watcher: Watcher): void {
    const joined = this.#watchers.get(watcher);
    if (!(joined instanceof WatchGroup)) return;
    joined.flush();
    const settled = joined.settled(this.#options.store.revision);
    if (settled !== undefined) watcher.push(joined.encoder.bookmark(settled, false));
  }
}

/** When something has to be done about a watcher next. Monotonic milliseconds. */
const dueOf = ({ bookmarks, deadline, nextBookmark }: Watcher): number => (bookmarks ? Math.min(deadline, nextBookmark) : deadline);

/** Each minute, and a last one two seconds before the end, so that the client can go on from there. */
function nextBookmark(now: number, deadline: number): number {
  const last = deadline - lastBookmarkMs;
  if (now >= last) return Number.POSITIVE_INFINITY;
  return Math.min(now + bookmarkMs, last);
}

/** A Table's first event differs, and conversions may be behind: they cannot share. */
const isAlone = ({ representation, resource }: WatchView): boolean => representation.shape.as === "table" || isConverted(resource);

const keyOf = ({ resource, prefix, selection, representation, includeObject }: WatchView): string =>
  JSON.stringify([prefix, resource.apiVersion, resource.definition.resource, selection.text, representation, includeObject]);
