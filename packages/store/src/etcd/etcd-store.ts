import type { RandomSource } from "@coxswain/machinery";
import { type Change, ChangeLog, defaultWindow } from "../engine/change-log.ts";
import { checkKeys } from "../engine/compare-and-swap.ts";
import { firstRevision } from "../engine/history-store.ts";
import { type SealedValue, StoredValues } from "../engine/stored-values.ts";
import { type TransformedOptions, TransformedStore } from "../engine/transformed-store.ts";
import { getEntry } from "../engine/tree.ts";
import {
  CompactedError,
  type Entry,
  type ListResult,
  type Revision,
  StorageError,
  type Store,
  type StoreEvent,
  type Write,
  type WriteNote,
  type WriteResult,
} from "../storage/store.ts";
import { type ChangeParts, changesOfRevision, ownChanges } from "./changes.ts";
import { Compaction } from "./compaction.ts";
import { CurrentRevision } from "./current-revision.ts";
import { EtcdConnection, type EtcdServers, retryBudgetMs } from "./etcd-connection.ts";
import { inStorageWords, isCompacted, textOf } from "./etcd-errors.ts";
import type { Followed } from "./follow.ts";
import { followAlways, type Watch } from "./follow-always.ts";
import { type Keyspace, keyspaceOf } from "./keys.ts";
import { reportsProgressInOrder } from "./progress.ts";
import { loadNewest, loadWindow, type PastQuery, readPast, requireComplete } from "./read-etcd.ts";
import { RevisionWaiters } from "./revision-waiters.ts";
import type { RevisionEvents } from "./watch-responses.ts";
import { type Pending, Writer, type WrittenTree } from "./writer.ts";

/** Which etcd, where in it, and how much of its history is kept here. */
export interface EtcdOptions extends TransformedOptions, EtcdServers {
  readonly random: RandomSource;
  /** As kube-apiserver's `--etcd-prefix`; by default `/registry`. */
  readonly prefix?: string;
  /** What went wrong and is tried again. */
  readonly onProblem?: (message: string, error: unknown) => void;
}

interface Parts {
  readonly etcd: EtcdConnection;
  readonly keys: Keyspace;
  readonly log: ChangeLog;
  readonly values: StoredValues;
  /** Whether etcd's word that there were no changes can be believed. */
  readonly trustsProgress: boolean;
}

/**
 * A store in etcd, beside any number of others: one watch feeds the tree that answers reads, writes are transactions. What is read here
 * may be older than what another server has written, until `freshen`.
 * @throws StorageError when no member answers
 */
export async function openEtcdStore(options: EtcdOptions): Promise<Store> {
  const { clock, transformer, prefix = "/registry", onProblem: _, random: __, servers, tls, ...window } = options;
  const etcd = new EtcdConnection({ servers, ...(tls === undefined ? {} : { tls }) }, clock);
  try {
    const keys = keyspaceOf(prefix);
    await requireComplete(etcd, keys);
    const log = new ChangeLog({ ...defaultWindow, ...window }, firstRevision);
    const values = new StoredValues(transformer);
    const newest = await loadWindow(etcd, keys, { log, values });
    const trustsProgress = await reportsProgressInOrder(etcd);
    const store = new EtcdStore(options, { etcd, keys, log, values, trustsProgress });
    await store.reach(newest);
    await values.retry();
    return store;
  } catch (error) {
    etcd[Symbol.dispose]();
    throw error instanceof StorageError ? error : new StorageError(`failed to read etcd: ${textOf(error)}`, { cause: error });
  }
}

class EtcdStore extends TransformedStore {
  readonly #etcd: EtcdConnection;
  readonly #keys: Keyspace;
  readonly #writer: Writer;
  readonly #compaction: Compaction;
  readonly #current: CurrentRevision;
  readonly #waiters: RevisionWaiters;
  readonly #watch: Watch;
  readonly #trustsProgress: boolean;
  readonly #entryAt = (key: string): Entry | undefined => getEntry(this.log.tree, key);
  #reloads = 0;
  #isClosed = false;

  constructor(options: EtcdOptions, { etcd, keys, log, values, trustsProgress }: Parts) {
    super(options, log, values);
    const { clock, random, onProblem = () => {} } = options;
    this.#etcd = etcd;
    this.#keys = keys;
    this.#trustsProgress = trustsProgress;
    const sealedOf = (key: string, value: Uint8Array): SealedValue | undefined => {
      const sealed = values.sealed(key, value);
      return sealed === values.plain ? undefined : sealed;
    };
    this.#writer = new Writer({
      ...{ etcd, keys, clock, random, target: this.#target() },
      sealedOf: this.transforms ? sealedOf : undefined,
    });
    this.#compaction = new Compaction(etcd);
    this.#current = new CurrentRevision(etcd, keys);
    this.#waiters = new RevisionWaiters(
      clock,
      () => (trustsProgress ? this.#watch.requestProgress() : this.#writer.server.touch()),
      () => new StorageError("etcd does not report its changes"),
    );
    this.#watch = followAlways({
      ...{ etcd, clock, onProblem, range: keys },
      known: { after: () => this.revision, own: { key: this.#writer.server.key, writes: this.#writer.pending } },
      take: (followed) => this.#take(followed),
      reload: () => this.#reload(),
    });
  }

  /** Also while etcd has no more space: reads go on, and kube-apiserver is well then, too. */
  readonly writeFailure = undefined;
  readonly expires = true;

  async freshen(): Promise<void> {
    const before = this.revision;
    const newest = await inStorageWords(() => this.#current.read());
    if (newest < before) await this.#reload();
    else await this.reach(newest as Revision);
  }

  /** Once the tree has what etcd had at a revision. @throws StorageError */
  async reach(revision: Revision): Promise<void> {
    if (this.revision < revision) await this.#waiters.wait(revision, retryBudgetMs);
  }

  override async get(key: string, opts: { at?: Revision } = {}): Promise<{ revision: Revision; entry: Entry | undefined }> {
    const { at } = opts;
    if (at === undefined || at >= this.compacted) return super.get(key, opts);
    const { entries } = await this.#past({ key, at });
    return { revision: at, entry: entries[0] };
  }

  override async list(prefix: string, opts: { at?: Revision; after?: string; limit?: number } = {}): Promise<ListResult> {
    const { at } = opts;
    return at === undefined || at >= this.compacted ? super.list(prefix, opts) : await this.#past({ prefix, ...opts, at });
  }

  write(op: Write, note?: WriteNote): Promise<WriteResult> {
    if (this.#isClosed) return Promise.reject(new StorageError("the store is closed"));
    try {
      checkKeys(op);
      this.checkWrite(op);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#writer.write(op, note);
  }

  /** Each server is asked to; one of them has etcd do it. */
  async compact(before: Revision): Promise<void> {
    this.log.compact(Math.min(before, this.revision) as Revision);
    await inStorageWords(() => this.#compaction.compact(before));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writer[Symbol.asyncDispose]();
    await super[Symbol.asyncDispose]();
    this.#watch[Symbol.dispose]();
    this.#waiters[Symbol.dispose]();
    this.#etcd[Symbol.dispose]();
    await this.#watch.ended;
  }

  protected override storedKeyOf(key: string): string {
    return this.#keys.toEtcd(key).toString();
  }

  #target(): WrittenTree {
    const store = this;
    return {
      get revision() {
        return store.revision;
      },
      get tree() {
        return store.log.tree;
      },
      get reloads() {
        return store.#reloads;
      },
      treeAt: (revision) => (revision < this.compacted ? this.log.tree : this.log.treeAt(revision)),
      reach: (revision) => this.reach(revision),
      takeOwn: (pending, revision) => this.#takeOwn(pending, revision),
    };
  }

  #takeOwn(pending: Pending, revision: Revision): void {
    const changes = ownChanges(pending, revision, this.#entryAt);
    this.#rememberStored(changes, pending);
    this.apply(changes);
    pending.result = resultOf(pending.op, revision, changes);
    this.#waiters.reached(revision);
  }

  #take({ news, revision }: Followed<Pending>): void {
    let others: RevisionEvents<Pending>[] = [];
    for (const one of news) {
      // An own write may be there since its answer came.
      if (one.revision <= this.revision) continue;
      if (one.own === undefined) others.push(one);
      else {
        others = this.#takeOthers(others);
        this.#takeOwn(one.own, one.revision as Revision);
      }
    }
    this.#takeOthers(others);
    if (news.length > 0 || this.#trustsProgress) this.advance(revision as Revision);
    this.#waiters.reached(this.revision);
  }

  /** What others have written becomes visible at once. @returns what is left of it */
  #takeOthers(others: readonly RevisionEvents<Pending>[]): [] {
    if (others.length === 0) return [];
    const decided = new Map<string, Entry | undefined>();
    const parts: ChangeParts = {
      keys: this.#keys,
      entryOf: (key) => (decided.has(key) ? decided.get(key) : this.#entryAt(key)),
      load: (entry) => this.values.load(entry),
      now: this.clock.now(),
    };
    const changes: Change[] = [];
    for (const { events, revision } of others) {
      const made = changesOfRevision(events, revision as Revision, parts);
      for (const { event } of made) decided.set(...decidedBy(event));
      changes.push(...made);
    }
    if (changes.length > 0) this.apply(changes);
    return [];
  }

  #rememberStored(changes: readonly Change[], { sealed }: Pending): void {
    if (sealed.size > 0) this.values.seal(changes, (key) => sealed.get(key) ?? this.values.plain);
  }

  /** What happened meanwhile is not to be had any more: everything is read anew, and watches begin again with a list. */
  async #reload(): Promise<void> {
    const log = new ChangeLog({ ...defaultWindow, historyRevisions: 0 }, firstRevision);
    const newest = await inStorageWords(() => loadNewest(this.#etcd, this.#keys, { log, values: this.values }));
    this.#reloads++;
    this.replace(log.tree, newest);
    this.#watch.restart();
    this.#waiters.reached(this.revision);
  }

  async #past(wanted: PastQuery): Promise<ListResult> {
    try {
      return await inStorageWords(() => readPast(this.#etcd, this.#keys, this.values, wanted));
    } catch (error) {
      if (!(error instanceof StorageError) || !isCompacted(error.cause)) throw error;
      throw new CompactedError(wanted.at, this.compacted);
    }
  }
}

const decidedBy = (event: StoreEvent): [key: string, entry: Entry | undefined] =>
  event.type === "put" ? [event.entry.key, event.entry] : [event.key, undefined];

function resultOf(op: Write, revision: Revision, changes: readonly Change[]): WriteResult {
  const own = changes.at(-1)?.event;
  return { ok: true, revision, entry: op.op === "put" && own?.type === "put" ? own.entry : undefined };
}
