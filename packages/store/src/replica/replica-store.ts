/** A copy of a store in another thread. */
import { receiveMessageOnPort } from "node:worker_threads";
import { ChangeLog } from "../engine/change-log.ts";
import { checkKeys } from "../engine/compare-and-swap.ts";
import { firstRevision, type HistoryOptions, HistoryStore } from "../engine/history-store.ts";
import { emptyTree, getEntry, putEntry } from "../engine/tree.ts";
import {
  type Entry,
  type KeyChange,
  type ListResult,
  type Revision,
  StorageError,
  type Store,
  type StoreEvent,
  type Write,
  type WriteNote,
  type WriteResult,
} from "../storage/store.ts";
import { TransformError } from "../storage/value-transformer.ts";
import { decodeChanges, marksOf, viewOf } from "./changes-message.ts";
import { errorOf } from "./failure.ts";
import {
  type Answer,
  type ChangesMessage,
  counters,
  type MovedMessage,
  numbersPerMove,
  type ReplicaStart,
  type ToReplica,
} from "./protocol.ts";
import { type PendingWrite, ReplicaLine } from "./replica-line.ts";

/** History is kept for as long as the store keeps it. */
const unbounded = {
  historyMs: Number.POSITIVE_INFINITY,
  historyRevisions: Number.POSITIVE_INFINITY,
  historyBytes: Number.POSITIVE_INFINITY,
};

/**
 * Opens a copy: it follows, reads by itself, and has writes decided by the thread that has the store. What any thread has acknowledged is
 * seen by the reads that come after it.
 */
export function openReplica(start: ReplicaStart, { clock }: Pick<HistoryOptions, "clock">): Store {
  const log = new ChangeLog(unbounded, firstRevision);
  const slabs = new Map(start.entries.slabs.map(({ number, buffer }) => [number, buffer]));
  const unreadable = new Set<Entry>();
  let tree = emptyTree;
  for (const [i, { event }] of decodeChanges(start.entries, slabs, () => undefined).entries()) {
    if (event.type !== "put") continue;
    tree = putEntry(tree, event.entry);
    if (marksOf(start.entries, i).isUnreadable) unreadable.add(event.entry);
  }
  log.reset(tree, start.changes.compacted);
  for (const [i, change] of decodeChanges(start.changes, slabs, (key) => getEntry(tree, key)).entries()) {
    log.append(change);
    if (change.event.type === "put" && marksOf(start.changes, i).isUnreadable) unreadable.add(change.event.entry);
  }
  return new ReplicaStore(start, { clock, log, slabs, unreadable });
}

interface Parts extends Pick<HistoryOptions, "clock"> {
  readonly log: ChangeLog;
  readonly slabs: Map<number, SharedArrayBuffer>;
  readonly unreadable: Set<Entry>;
}

class ReplicaStore extends HistoryStore {
  /** The thread that has the store says so, to whoever asks whether the server is well. */
  readonly writeFailure = undefined;
  readonly #transforms: boolean;
  readonly #replica: number;
  readonly #counters: Int32Array;
  readonly #seen: Int32Array;
  readonly #line: ReplicaLine;
  /** Those in which values may still be put. */
  readonly #slabs: Map<number, SharedArrayBuffer>;
  /** Those that could not be read when they came. */
  readonly #unreadable: Set<Entry>;
  readonly #entryAt = (key: string): Entry | undefined => getEntry(this.log.tree, key);
  #taken: number;
  #isClosed = false;

  constructor(
    { port, replica, counters: shared, seen, taken, transforms, entries }: ReplicaStart,
    { log, slabs, unreadable, clock }: Parts,
  ) {
    super({ clock }, log);
    this.#replica = replica;
    this.#counters = new Int32Array(shared);
    this.#seen = new Int32Array(seen);
    this.#taken = taken;
    this.#slabs = slabs;
    this.#unreadable = unreadable;
    this.#keepSlab(entries.current);
    this.#line = new ReplicaLine(port);
    this.#transforms = transforms;
    port.on("message", (message: ToReplica) => this.#receive(message));
  }

  freshenNow(): void {
    const announced = Atomics.load(this.#counters, counters.announced);
    while (isBefore(this.#taken, announced)) this.#receive(this.#nextMessage(announced));
  }

  async freshen(): Promise<void> {
    this.freshenNow();
  }

  override get(key: string, opts: { at?: Revision } = {}): Promise<{ revision: Revision; entry: Entry | undefined }> {
    const found = opts.at === undefined ? this.#fresh(() => super.get(key)) : super.get(key, opts);
    return this.#areChecked ? this.#checked(found, key, { ...opts, isKey: true }) : found;
  }

  override list(prefix: string, opts: { at?: Revision; after?: string; limit?: number } = {}): Promise<ListResult> {
    const found = opts.at === undefined ? this.#fresh(() => super.list(prefix, opts)) : super.list(prefix, opts);
    return this.#areChecked ? this.#checked(found, prefix, { ...opts, isKey: false }) : found;
  }

  /** What cannot be read, and all before it, counts as compacted. */
  override async history(key: string, opts?: { after?: Revision; last?: number }): Promise<readonly KeyChange[]> {
    const changes = await super.history(key, opts);
    return changes.slice(changes.findLastIndex(({ entry }) => entry !== undefined && this.#unreadable.has(entry)) + 1);
  }

  isStale(key: string): boolean | Promise<boolean> {
    return this.#transforms && this.#line.call("isStale", key);
  }

  write(op: Write, note?: WriteNote): Promise<WriteResult> {
    if (this.#isClosed) return Promise.reject(new StorageError("the store is closed"));
    try {
      checkKeys(op);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#line.write(op, note);
  }

  async compact(before: Revision): Promise<void> {
    await this.#line.call("compact", before);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#line.settled();
    await super[Symbol.asyncDispose]();
    this.#line.port.close();
  }

  protected override checkEvents(events: readonly StoreEvent[]): void {
    if (this.#unreadable.size === 0) return;
    const isUnreadable = (entry: Entry | undefined): boolean => entry !== undefined && this.#unreadable.has(entry);
    if (events.some((event) => isUnreadable(event.previous) || (event.type === "put" && isUnreadable(event.entry))))
      throw new TransformError("a change cannot be read");
  }

  /** What cannot be made sure to be the newest is not read. */
  #fresh<T>(read: () => Promise<T>): Promise<T> {
    try {
      this.freshenNow();
      return read();
    } catch (error) {
      return Promise.reject(error);
    }
  }

  get #areChecked(): boolean {
    return Atomics.load(this.#counters, counters.areChecked) === 1;
  }

  #receive(message: ToReplica): void {
    switch (message.kind) {
      case "changes":
        this.#count();
        this.#takeChanges(message);
        break;
      case "moved":
        this.#count();
        this.#takeMoved(message);
        break;
      case "answers":
        for (const answer of message.answers) this.#takeAnswer(answer);
    }
  }

  #count(): void {
    this.#taken = (this.#taken + 1) | 0;
    Atomics.store(this.#seen, 0, this.#taken);
  }

  /** What is announced is on its way within some microseconds. */
  #nextMessage(announced: number): ToReplica {
    for (;;) {
      const posted = Atomics.load(this.#counters, counters.posted);
      const received = receiveMessageOnPort(this.#line.port) as { readonly message: ToReplica } | undefined;
      if (received !== undefined) return received.message;
      if (!isBefore(posted, announced)) throw new StorageError("the thread that has the store does not answer");
      Atomics.wait(this.#counters, counters.posted, posted);
    }
  }

  #takeChanges(message: ChangesMessage): void {
    for (const { number, buffer } of message.slabs) this.#slabs.set(number, buffer);
    const changes = decodeChanges(message, this.#slabs, this.#entryAt);
    const done: { readonly write: PendingWrite; readonly result: WriteResult }[] = [];
    for (const [i, { event, revision }] of changes.entries()) {
      const { replica, id, isUnreadable } = marksOf(message, i);
      if (event.type === "put" && isUnreadable) this.#unreadable.add(event.entry);
      const write = replica === this.#replica ? this.#line.pending(id) : undefined;
      if (write === undefined) continue;
      const { op } = write;
      const { key } = event.type === "put" ? event.entry : event;
      if (event.type === "put") event.entry.derived = derivedOf(op, key);
      if (key !== op.key) continue;
      this.#line.settle(id);
      done.push({ write, result: { ok: true, revision, entry: event.type === "put" ? event.entry : undefined } });
    }
    this.#keepSlab(message.current);
    if (changes.length > 0) this.apply(changes);
    if (message.compacted > this.compacted) this.#forget(message.compacted);
    for (const { write, result } of done) write.resolve(result);
  }

  #forget(before: Revision): void {
    this.forget(before);
    if (this.#unreadable.size === 0) return;
    for (const entry of this.#unreadable) if (entry.modified < before && this.#entryAt(entry.key) !== entry) this.#unreadable.delete(entry);
  }

  /** What comes from now on is there, or in one that comes along. */
  #keepSlab(current: number | undefined): void {
    if (this.#slabs.size > 1) for (const number of this.#slabs.keys()) if (number !== current) this.#slabs.delete(number);
  }

  #takeMoved({ slabs, current, keys, numbers }: MovedMessage): void {
    for (const { number, buffer } of slabs) this.#slabs.set(number, buffer);
    for (const [i, key] of keys.entries()) {
      const at = i * numbersPerMove;
      const entry = this.#entryAt(key);
      if (entry === undefined || entry.modified !== numbers[at]) throw new Error(`what is under ${key} is not what has moved`);
      const moved: { value: Uint8Array } = entry;
      moved.value = viewOf(this.#slabs, numbers, at + 1);
    }
    this.#keepSlab(current);
  }

  #takeAnswer(answer: Answer): void {
    switch (answer.kind) {
      case "value":
        this.#line.answer(answer.id, answer.value);
        break;
      case "failed":
        this.#line.fail(answer.id, errorOf(answer.failure));
        break;
      case "refused":
        this.#takeRefusal(answer);
    }
  }

  #takeRefusal({ id, revision, failed, key }: Extract<Answer, { kind: "refused" }>): void {
    // As it was when it was decided: later writes may have been taken since.
    const tree = revision < this.compacted ? this.log.tree : this.log.treeAt(revision);
    const actual = failed === undefined ? getEntry(tree, key) : undefined;
    this.#line.settle(id)?.resolve({ ok: false, revision, actual, ...(failed === undefined ? {} : { failed }) });
  }

  /** @throws TransformError for what cannot be read as things are now */
  async #checked<T extends { readonly revision: Revision }>(
    found: Promise<T>,
    prefix: string,
    { at, ...opts }: Parameters<ReplicaLine["readable"]>[1],
  ): Promise<T> {
    const result = await found;
    const { revision } = result;
    for (const { key, modified, value } of await this.#line.readable(prefix, { at: revision, ...opts })) {
      const entry = getEntry(this.log.treeAt(revision), key);
      if (entry?.modified !== modified || !this.#unreadable.delete(entry)) continue;
      const read: { value: Uint8Array; derived: unknown } = entry;
      read.value = value;
      read.derived = undefined;
    }
    return result;
  }
}

function derivedOf(op: Write, key: string): unknown {
  if (op.key === key) return op.op === "put" ? op.derived : undefined;
  return op.also?.find((one) => one.key === key)?.derived;
}

/** Of numbers modulo 2³² that are not far from each other. */
const isBefore = (one: number, other: number): boolean => ((other - one) | 0) > 0;
