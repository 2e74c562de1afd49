/**
 * One revisioned history of keys and bytes. It knows nothing of Kubernetes: keys are strings such as
 * `/registry/pods/default/web`, values are opaque, and every write gets the next Revision.
 */

declare const revisionBrand: unique symbol;
/** Position in the one history. A safe integer. */
export type Revision = number & { readonly [revisionBrand]: true };

/** A key with its value and the revisions of its creation and of its last change. */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly created: Revision;
  readonly modified: Revision;
  /**
   * For the reader: whatever it derived from `value` and wants to find again with the entry. The store never looks at it,
   * and clears it some time after the entry is superseded.
   */
  derived: unknown;
}

/** An entry that must still be as it was at its revision, or still be absent, when a write to another key takes place. */
export interface Compare {
  readonly key: string;
  readonly modified: Revision | "absent";
}

/** A new value of an entry, or its end, on condition that it is as it was at its revision, or that there is none. */
export type Replacement =
  | { readonly key: string; readonly value: Uint8Array; readonly expect: Revision | "absent"; readonly derived?: unknown }
  /** The entry is deleted. */
  | { readonly key: string; readonly value?: undefined; readonly expect: Revision; readonly derived?: undefined };

/** One change of one key, with the state of the key that it is made on condition of. */
export type Write =
  | {
      readonly op: "put";
      readonly key: string;
      readonly value: Uint8Array;
      readonly expect: Revision | "absent";
      /** Decided together with the write: no change of these entries comes between. */
      readonly compare?: readonly Compare[] | undefined;
      /**
       * Further entries that are changed with it, all of them or none: each by a revision of its own, in this order before that of
       * the key itself. An entry that is not as expected is reported as `failed`, like one of `compare`. No key may come twice.
       */
      readonly also?: readonly Replacement[] | undefined;
      /** The entry ends by itself after at least so long, where the store has `expires`. */
      readonly ttlSeconds?: number | undefined;
      readonly derived?: unknown;
    }
  | {
      readonly op: "delete";
      readonly key: string;
      readonly expect: Revision;
      /** As of a put. */
      readonly compare?: readonly Compare[] | undefined;
      readonly also?: readonly Replacement[] | undefined;
    };

/** Who wrote, for what explains conflicts and draws timelines. Kept with the revision. */
export interface WriteNote {
  readonly user?: string;
  readonly manager?: string;
  readonly userAgent?: string;
  readonly requestId?: string;
  /** What was asked for: create, update, patch, apply, delete, deletecollection, with the subresource behind a slash. */
  readonly verb?: string;
  /** The resourceVersion that the write was based on: what its writer had read, or the newest where the server applied a patch. */
  readonly readAt?: string;
}

/** How a write ended: with its revision, or with the entry that did not meet its condition. */
export type WriteResult =
  | { readonly ok: true; readonly revision: Revision; readonly entry: Entry | undefined }
  /** `failed`: another entry is not as it was to be; what is under the key itself was not looked at then. */
  | { readonly ok: false; readonly revision: Revision; readonly actual: Entry | undefined; readonly failed?: Compare };

/** One change of one key, as a watch reports it. */
export type StoreEvent =
  | { readonly type: "put"; readonly entry: Entry; readonly previous: Entry | undefined }
  | { readonly type: "delete"; readonly key: string; readonly revision: Revision; readonly previous: Entry };

/** Events that belong together, in the order of their revisions. */
export interface WatchBatch {
  readonly revision: Revision;
  readonly events: readonly StoreEvent[];
  /**
   * The store has lost what happened: the events are what differs from before, and the revision may even be lower. Who hands events on has
   * to let its readers begin anew.
   */
  readonly isReplaced?: true;
}

/** One change of one key, as it is remembered. */
export interface KeyChange {
  readonly revision: Revision;
  /** When it was written; milliseconds since the epoch. */
  readonly at: number;
  /** Undefined when the change was a deletion. */
  readonly entry: Entry | undefined;
  readonly note: WriteNote | undefined;
}

/** One change of one key, with what was before. */
export interface KeyedChange extends KeyChange {
  readonly key: string;
  readonly previous: Entry | undefined;
}

/** A part of one tree: entries in the order of their keys, and whether there are more. */
export interface ListResult {
  readonly revision: Revision;
  readonly entries: readonly Entry[];
  /** How many entries with the prefix come after the last one returned. */
  readonly remaining: number;
}

/**
 * A map of keys to bytes with one history: every write gets the next revision, and past revisions can be read and watched
 * from until they are compacted.
 */
export interface Store extends AsyncDisposable {
  /** The newest revision that is durable and visible. */
  readonly revision: Revision;
  /** The oldest revision that can be read or watched from. */
  readonly compacted: Revision;
  /** The entry of a key, at the newest revision or at another. @throws CompactedError, FutureRevisionError */
  get(key: string, opts?: { at?: Revision }): Promise<{ revision: Revision; entry: Entry | undefined }>;
  /**
   * The entries whose key starts with the prefix, ordered by key (UTF-16 code units), from behind the key `after`.
   * @throws CompactedError, FutureRevisionError
   */
  list(prefix: string, opts?: { at?: Revision; after?: string; limit?: number }): Promise<ListResult>;
  /**
   * Where several servers share what is stored: resolves when all is seen here that any of them had acknowledged before the call. Without
   * it nothing can be read here that is older. @throws StorageError
   */
  freshen?(): Promise<void>;
  /** The same at once, where others write in other threads of this process: their writes are in its memory. */
  freshenNow?(): void;
  /** Whether entries with `ttlSeconds` end by themselves. */
  readonly expires?: boolean;
  /** Whether the entry of a key is stored otherwise than it would be now: an update that changes nothing is then written. */
  isStale?(key: string): boolean | Promise<boolean>;
  /** Why nothing can be written at present; undefined while writes are taken. What goes wrong passes by itself where it can. */
  readonly writeFailure: Error | undefined;
  /**
   * Resolves once the write is durable.
   * @throws StorageError when it is certain that nothing was written, OutcomeUnknownError when it may have been
   */
  write(op: Write, note?: WriteNote): Promise<WriteResult>;
  /**
   * The first events after `after`, in order, at most `limit`: up to the last of them, or to the newest revision when there
   * are no more.
   * @throws CompactedError
   */
  events(prefix: string, opts: { after: Revision; limit: number }): WatchBatch;
  /**
   * All events after `after`, in order, whole revisions; an empty batch marks progress. Ends when the signal is aborted or
   * the store is closed.
   * @throws CompactedError, also later, when the reader is too slow
   */
  watch(prefix: string, opts: { after: Revision; signal: AbortSignal }): AsyncIterable<WatchBatch>;
  /**
   * The same without a promise for each batch: `fn` is called in the turn in which the revision becomes visible.
   * Events between `after` and now are delivered before it returns.
   * @throws CompactedError
   */
  subscribe(prefix: string, opts: { after: Revision }, fn: (batch: WatchBatch) => void): Disposable;
  /**
   * The changes of one key, oldest first: those after a revision, by default all that are kept, and of them the `last` so many.
   * @throws CompactedError
   */
  history(key: string, opts?: { after?: Revision; last?: number }): Promise<readonly KeyChange[]>;
  /**
   * All changes after a revision, in order, with who made them: whole revisions, at least `limit` changes while there are so many, up to
   * `revision`. Where the history is the store's own.
   * @throws CompactedError
   */
  changes?(opts: { after: Revision; limit: number }): { readonly revision: Revision; readonly changes: readonly KeyedChange[] };
  /**
   * Keeps the changes after a revision for one who records them, and says how far that has come: they are neither compacted nor dropped by
   * bounds, but for what would take too much memory. Where `changes` is.
   */
  retain?(after: () => Revision): Disposable;
  /** Forgets the states before a revision; that revision can still be read, and watched from. */
  compact(before: Revision): Promise<void>;
}

/** The asked-for revision is older than the history that is kept. */
export class CompactedError extends Error {
  readonly asked: Revision;
  readonly oldest: Revision;
  constructor(asked: Revision, oldest: Revision) {
    super(`revision ${asked} is compacted; the oldest kept is ${oldest}`);
    this.name = "CompactedError";
    this.asked = asked;
    this.oldest = oldest;
  }
}

/** The asked-for revision has not been reached. */
export class FutureRevisionError extends Error {
  readonly asked: Revision;
  readonly current: Revision;
  constructor(asked: Revision, current: Revision) {
    super(`revision ${asked} is in the future; the current one is ${current}`);
    this.name = "FutureRevisionError";
    this.asked = asked;
    this.current = current;
  }
}

/** The medium failed while the write was on its way: it may have taken effect, or still do so when the medium is back. */
export class OutcomeUnknownError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OutcomeUnknownError";
  }
}

/** The medium failed (full disk, damaged file); nothing of the write took effect. */
export class StorageError extends Error {
  /** Whether clients may see its words: they are those of a database, and name nothing of this machine. */
  readonly isForClients: boolean;
  constructor(message: string, { isForClients = false, ...options }: ErrorOptions & { readonly isForClients?: boolean } = {}) {
    super(message, options);
    this.name = "StorageError";
    this.isForClients = isForClients;
  }
}

/** More writes wait than the medium takes; nothing of this one took effect, and it may be sent again. */
export class OverloadedError extends StorageError {
  constructor(message: string) {
    super(message);
    this.name = "OverloadedError";
  }
}
