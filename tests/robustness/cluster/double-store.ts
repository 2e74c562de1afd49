/** The test double's etcd and servers: one history of changes, and caches that follow it, each in its own time. */
import type { Random } from "../../fuzz/harness/random.ts";
import { type Failed, type Filter, isSelected, type Version, type Watch, type WatchItem, type Write, withToken } from "./history.ts";

/**
 * Bugs that etcd and Kubernetes have had, as switches.
 *
 * - `stale-read`: a read without a resourceVersion is answered from a cache that is behind.
 * - `torn-list`: the second half of a list is read later than its first.
 * - `watch-skips-compacted`: a watch from a compacted revision goes on after the gap instead of failing with 410.
 * - `lost-delete`: a deletion is not delivered when the object is there again by then.
 * - `revision-goes-back`: a crash forgets the last changes, and their revisions are given out again.
 * - `duplicate-on-reconnect`: a watch begins with the change of the revision from which it goes on.
 * - `progress-ahead`: a bookmark has the newest revision of the store, not that of what was delivered.
 * - `retry-reports-failure`: a write whose answer was lost is tried again, and the failure of that is reported.
 * - `stale-precondition`: the expected revision is compared with that in the cache.
 */
export const bugs = [
  "stale-read",
  "torn-list",
  "watch-skips-compacted",
  "lost-delete",
  "revision-goes-back",
  "duplicate-on-reconnect",
  "progress-ahead",
  "retry-reports-failure",
  "stale-precondition",
] as const;

export type Bug = (typeof bugs)[number];

type WithoutOutcome<T> = T extends unknown ? Omit<T, "outcome" | "return"> : never;
export type WriteRequest = WithoutOutcome<Write>;

interface StoredChange {
  readonly revision: number;
  readonly key: string;
  readonly after: Version | undefined;
  readonly before: Version | undefined;
}

export type WriteResult = { readonly kind: "ok"; readonly revision: number; readonly value?: string } | Failed;

export class Store {
  readonly changes: StoredChange[] = [];
  readonly #state = new Map<string, Version>();
  /** Changes up to it can no longer be watched. */
  compacted = 0;
  #revision = 0;

  get revision(): number {
    return this.#revision;
  }

  /** `current` is what a precondition is compared with. */
  write(request: WriteRequest, current = this.#state.get(request.key)): WriteResult {
    const before = this.#state.get(request.key);
    if (request.do === "create" && before !== undefined) return { kind: "failed", reason: "AlreadyExists" };
    if (request.do !== "create" && before === undefined) return { kind: "failed", reason: "NotFound" };
    const expected = "expectedRevision" in request ? request.expectedRevision : undefined;
    if (expected !== undefined && expected !== current?.revision) return { kind: "failed", reason: "Conflict" };
    const revision = ++this.#revision;
    const value = valueAfter(request, before);
    const after = value === undefined ? undefined : { key: request.key, value, revision };
    this.changes.push({ revision, key: request.key, before, after });
    if (after === undefined) this.#state.delete(request.key);
    else this.#state.set(request.key, after);
    return after === undefined ? { kind: "ok", revision } : { kind: "ok", revision, value: after.value };
  }

  forgetLast(): void {
    const change = this.changes.pop();
    if (change === undefined) return;
    this.#revision = change.revision - 1;
    if (change.before === undefined) this.#state.delete(change.key);
    else this.#state.set(change.key, change.before);
  }
}

function valueAfter(request: WriteRequest, before: Version | undefined): string | undefined {
  switch (request.do) {
    case "create":
    case "update":
      return request.value;
    case "patch":
      return withToken(before?.value ?? "", request.token);
    case "delete":
      return undefined;
  }
}

export class Server {
  readonly name: string;
  readonly #store: Store;
  #cache = new Map<string, Version>();
  #applied = 0;

  constructor(name: string, store: Store) {
    this.name = name;
    this.#store = store;
  }

  /** The revision that its cache has come to. */
  get revision(): number {
    return this.#store.changes[this.#applied - 1]?.revision ?? 0;
  }

  /** Follows by one change. */
  follow(): void {
    const change = this.#store.changes[this.#applied];
    if (change === undefined) return;
    this.#applied++;
    if (change.after === undefined) this.#cache.delete(change.key);
    else this.#cache.set(change.key, change.after);
  }

  catchUp(): void {
    while (this.revision < this.#store.revision) this.follow();
  }

  /** Begins with an empty cache, and is up to date before it serves. */
  restart(): void {
    this.#cache = new Map();
    this.#applied = 0;
    this.catchUp();
  }

  get(key: string): Version | undefined {
    return this.#cache.get(key);
  }

  list(): readonly Version[] {
    return [...this.#cache.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

export interface WatchRequest {
  readonly id: number;
  readonly client: string;
  readonly server: Server;
  readonly from: number;
  readonly filter: Filter;
  readonly start: number;
  readonly store: Store;
  readonly bug: Bug | undefined;
  readonly random: Random;
}

export class WatchStream {
  readonly #request: WatchRequest;
  readonly #items: WatchItem[] = [];
  /** The revision up to which everything was considered. */
  #position: number;

  constructor(request: WatchRequest) {
    this.#request = request;
    const { bug, from, store } = request;
    this.#position = bug === "duplicate-on-reconnect" && from > store.compacted ? from - 1 : from;
  }

  get server(): Server {
    return this.#request.server;
  }

  get client(): string {
    return this.#request.client;
  }

  get filter(): Filter {
    return this.#request.filter;
  }

  /** What a client that goes on from here has seen. */
  get seen(): number {
    const last = this.#items.findLast((item) => item.kind === "event" || item.kind === "bookmark");
    return last === undefined ? this.#request.from : last.kind === "event" ? last.object.revision : last.revision;
  }

  /** Delivers the next that is selected, if the server has it: "expired" where that is compacted. */
  deliver(time: number): "delivered" | "nothing" | "expired" {
    const { store, server, bug, random, filter } = this.#request;
    if (this.#position < store.compacted) {
      if (bug !== "watch-skips-compacted") {
        this.#items.push({ kind: "error", time, code: 410 });
        return "expired";
      }
      this.#position = store.compacted;
    }
    for (const change of store.changes.slice(Math.max(0, this.#position - 1))) {
      if (change.revision > server.revision) break;
      if (change.revision <= this.#position) continue;
      this.#position = change.revision;
      const item = eventOf(change, filter, time);
      if (item === undefined) continue;
      if (bug === "lost-delete" && item.event === "DELETED" && (server.get(change.key) !== undefined || random.oneIn(3))) continue;
      this.#items.push(item);
      return "delivered";
    }
    return "nothing";
  }

  /** Once nothing is left to deliver. */
  bookmark(time: number): void {
    const { store, bug } = this.#request;
    const revision = bug === "progress-ahead" ? store.revision : this.#position;
    if (revision > this.seen) this.#items.push({ kind: "bookmark", time, revision });
  }

  end(time: number, by: "finished" | "stopped" | "closed"): void {
    this.#items.push({ kind: "end", time, by });
  }

  get record(): Watch {
    const { id, client, server, from, filter, start } = this.#request;
    return { type: "watch", id, client, server: server.name, start, from, filter, items: this.#items };
  }
}

function eventOf(
  { key, before, after, revision }: StoredChange,
  filter: Filter,
  time: number,
): Extract<WatchItem, { kind: "event" }> | undefined {
  const was = before !== undefined && isSelected(filter, before);
  const is = after !== undefined && isSelected(filter, after);
  const previous = was ? { previous: before } : {};
  if (is) return { kind: "event", time, event: was ? "MODIFIED" : "ADDED", object: after, ...previous };
  return was ? { kind: "event", time, event: "DELETED", object: { key, value: before.value, revision }, ...previous } : undefined;
}
