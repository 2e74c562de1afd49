/** The side of the thread that has the store: it tells all copies what happens, and writes what they want to be written. */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Change, ChangeLog } from "../engine/change-log.ts";
import { HistoryStore } from "../engine/history-store.ts";
import { TransformedStore } from "../engine/transformed-store.ts";
import { getEntry, slice } from "../engine/tree.ts";
import type { Entry, Replacement, Revision, Store, Write } from "../storage/store.ts";
import { changesThatMake, encodeChanges } from "./changes-message.ts";
import { failureOf } from "./failure.ts";
import {
  type Answer,
  type ChangesMessage,
  counters,
  type FeedMessage,
  type FromReplica,
  numbersPerMove,
  type ReadableOptions,
  type ReadValue,
  type ReplicaCall,
  type ReplicaStart,
  type SentReplacement,
  type SentWrite,
  type ToReplica,
} from "./protocol.ts";
import { SharedValues } from "./shared-values.ts";

/** The copies of a store in other threads. */
export interface ReplicaHost extends Disposable {
  /** What another thread opens a copy with: `port` has to change hands. The copy ends when its thread does, or with `close`. */
  open(options?: OpenOptions): { readonly start: ReplicaStart; close(): void };
  /** Of values in shared memory. Bytes. */
  readonly size: { readonly allocated: number; readonly live: number };
}

/** What becomes of a copy whose thread does not keep up. */
export interface OpenOptions {
  /** Called when it has left so much unread that it is given up: nothing more is sent to it. */
  readonly onBehind?: () => void;
  /** Batches of changes that it may leave unread. Default: 50,000. */
  readonly maxBehind?: number;
}

/**
 * From now on the store's values are in memory that other threads see, too. A store has one host.
 * @throws TypeError for a store that is not in this process alone
 */
export function createReplicaHost(store: Store): ReplicaHost {
  if (!(store instanceof HistoryStore) || "freshen" in store) throw new TypeError("only a store of this process can have copies");
  return new Host(store);
}

/** Some tens of MB, beside the values. A thread that works takes them many times a second. */
const defaultMaxBehind = 50_000;

/** Values that are moved with one change, so that it takes no longer than others. Bytes. */
const movedAtOnce = 256 * 1024;

class Host implements ReplicaHost {
  readonly #store: HistoryStore;
  readonly #log: ChangeLog;
  readonly #values = new SharedValues();
  readonly #counters = new Int32Array(new SharedArrayBuffer(12));
  readonly #lines = new Map<number, Followed>();
  #last = 0;
  #compacted: Revision;
  /** What is left to be moved. */
  #moving: Entry[] = [];

  constructor(store: HistoryStore) {
    this.#store = store;
    this.#log = store.follow({ place: (changes) => this.#place(changes), publish: (changes) => this.#publish(changes) });
    this.#log.onDropped = (entry) => this.#values.drop(entry);
    this.#compacted = this.#log.compacted;
    for (const entry of this.#oldest()) this.#values.place(entry);
    this.#place([...this.#log.changesAfter(this.#compacted)]);
    this.#values.takeOpened();
  }

  get size() {
    return this.#values.size;
  }

  open({ onBehind = () => undefined, maxBehind = defaultMaxBehind }: OpenOptions = {}): { readonly start: ReplicaStart; close(): void } {
    const replica = ++this.#last;
    const { port1, port2 } = new MessageChannel();
    const seen = new Int32Array(new SharedArrayBuffer(4)).fill(Atomics.load(this.#counters, counters.announced));
    const line = new HostLine({ replica, port: port1, store: this.#store, values: this.#values });
    const close = (): void => {
      this.#lines.delete(replica);
      port1.close();
    };
    const giveUp = (): void => {
      close();
      onBehind();
    };
    this.#lines.set(replica, { line, seen, maxBehind, giveUp });
    port1.on("close", close);
    // The threads keep the process alive, not what they say.
    port1.unref();
    return { start: { ...this.#stateNow(), port: port2, replica, seen: seen.buffer as SharedArrayBuffer }, close };
  }

  [Symbol.dispose](): void {
    for (const { line } of this.#lines.values()) line.port.close();
    this.#lines.clear();
  }

  #oldest(): Entry[] {
    const tree = this.#log.treeAt(this.#log.compacted);
    return slice(tree, 0, tree.size);
  }

  #stateNow(): Omit<ReplicaStart, "port" | "replica" | "seen"> {
    const { compacted } = this.#log;
    const oldest = this.#oldest();
    const changes = [...this.#log.changesAfter(compacted)];
    const slabs = new Map<number, SharedArrayBuffer>();
    const note = (entry: Entry): void => {
      const place = this.#values.placeOf(entry);
      if (place !== undefined) slabs.set(place.slab, entry.value.buffer as SharedArrayBuffer);
    };
    for (const entry of oldest) note(entry);
    for (const { event } of changes) if (event.type === "put") note(event.entry);
    const { current } = this.#values;
    if (current !== undefined) slabs.set(current.number, current.buffer);
    const all = Array.from(slabs, ([number, buffer]) => ({ number, buffer }));
    return {
      counters: this.#counters.buffer as SharedArrayBuffer,
      taken: Atomics.load(this.#counters, counters.announced),
      transforms: this.#store instanceof TransformedStore && this.#store.isTransformed,
      entries: this.#encode(changesThatMake(oldest), all),
      changes: this.#encode(changes, []),
    };
  }

  #encode(changes: readonly Change[], slabs: ChangesMessage["slabs"]): ChangesMessage {
    const store = this.#store;
    const isUnreadable = store instanceof TransformedStore ? (entry: Entry) => store.isUnreadable(entry) : () => false;
    return encodeChanges(changes, { values: this.#values, compacted: this.#log.compacted, slabs, isUnreadable });
  }

  #place(changes: readonly Change[]): void {
    for (const { event } of changes) if (event.type === "put") this.#values.place(event.entry);
  }

  #publish(changes: readonly Change[]): void {
    const { compacted } = this.#log;
    if (this.#store instanceof TransformedStore && this.#store.areChecked) Atomics.store(this.#counters, counters.areChecked, 1);
    if (changes.length > 0 || compacted !== this.#compacted) this.#post(this.#encode(changes, this.#values.takeOpened()));
    this.#compacted = compacted;
    this.#moveSome();
  }

  #moveSome(): void {
    if (this.#moving.length === 0) this.#moving = this.#values.sparse(this.#log.tree);
    if (this.#moving.length === 0) return;
    const moved: Entry[] = [];
    for (let bytes = 0; bytes < movedAtOnce; ) {
      const entry = this.#moving.pop();
      if (entry === undefined) break;
      if (getEntry(this.#log.tree, entry.key) !== entry || !this.#values.isSparse(entry)) continue;
      this.#values.move(entry);
      moved.push(entry);
      bytes += entry.value.byteLength;
    }
    if (moved.length > 0) this.#post(this.#encodeMoved(moved));
  }

  #encodeMoved(moved: readonly Entry[]): FeedMessage {
    const numbers = new Float64Array(moved.length * numbersPerMove);
    for (const [i, entry] of moved.entries()) {
      const { slab = 0, offset = 0, length = 0 } = this.#values.placeOf(entry) ?? {};
      numbers.set([entry.modified, slab, offset, length], i * numbersPerMove);
    }
    const { current } = this.#values;
    return { kind: "moved", slabs: this.#values.takeOpened(), current: current?.number, keys: moved.map(({ key }) => key), numbers };
  }

  /** Before it is shown to anybody. */
  #post(message: FeedMessage): void {
    const before = Atomics.add(this.#counters, counters.announced, 1);
    for (const { line, seen, maxBehind, giveUp } of this.#lines.values()) {
      if (((before - Atomics.load(seen, 0)) | 0) >= maxBehind) giveUp();
      else line.port.postMessage(message);
    }
    Atomics.add(this.#counters, counters.posted, 1);
    Atomics.notify(this.#counters, counters.posted);
  }
}

interface Followed {
  readonly line: HostLine;
  /** How many messages of the feed it has taken. */
  readonly seen: Int32Array;
  readonly maxBehind: number;
  readonly giveUp: () => void;
}

interface LineParts {
  readonly replica: number;
  readonly port: MessagePort;
  readonly store: HistoryStore;
  readonly values: SharedValues;
}

/** What one copy asks for. */
class HostLine {
  readonly port: MessagePort;
  readonly #replica: number;
  readonly #store: HistoryStore;
  readonly #values: SharedValues;
  #answers: Answer[] = [];

  constructor({ replica, port, store, values }: LineParts) {
    this.port = port;
    this.#replica = replica;
    this.#store = store;
    this.#values = values;
    port.on("message", (message: FromReplica) => this.#receive(message));
  }

  #receive(message: FromReplica): void {
    if (message.kind === "writes") for (const sent of message.writes) void this.#write(sent, message.bytes);
    else void this.#call(message.id, message.call);
  }

  /** One that takes place is answered by its changes. */
  async #write(sent: SentWrite, bytes: Uint8Array): Promise<void> {
    const { id, key, note } = sent;
    try {
      const result = await this.#store.write(writeOf(sent, bytes), note, { replica: this.#replica, id });
      if (!result.ok) this.#answer({ id, kind: "refused", revision: result.revision, failed: result.failed, key });
    } catch (error) {
      this.#answer({ id, kind: "failed", failure: failureOf(error) });
    }
  }

  async #call(id: number, call: ReplicaCall): Promise<void> {
    try {
      this.#answer({ id, kind: "value", value: await this.#valueOf(call) });
    } catch (error) {
      this.#answer({ id, kind: "failed", failure: failureOf(error) });
    }
  }

  async #valueOf(call: ReplicaCall): Promise<unknown> {
    switch (call.method) {
      case "compact":
        return await this.#store.compact(...call.args);
      case "isStale":
        return this.#store instanceof TransformedStore && this.#store.isStale(...call.args);
      case "readable":
        return await this.#readable(...call.args);
    }
  }

  /** @throws TransformError */
  async #readable(prefix: string, { isKey, ...opts }: ReadableOptions): Promise<readonly ReadValue[]> {
    const found = isKey ? [(await this.#store.get(prefix, opts)).entry] : (await this.#store.list(prefix, opts)).entries;
    return found
      .filter((entry) => entry !== undefined && this.#values.placeOf(entry) === undefined)
      .map((entry) => entry as Entry)
      .map(({ key, modified, value }) => ({ key, modified, value: new Uint8Array(value) }));
  }

  /** Those of a turn go together. What happened before is on its way by then. */
  #answer(answer: Answer): void {
    if (this.#answers.push(answer) > 1) return;
    process.nextTick(() => {
      const message: ToReplica = { kind: "answers", answers: this.#answers };
      this.#answers = [];
      this.port.postMessage(message);
    });
  }
}

function writeOf({ key, value, expect, compare, also, ttlSeconds }: SentWrite, bytes: Uint8Array): Write {
  const more = {
    ...(compare === undefined ? {} : { compare }),
    ...(also === undefined ? {} : { also: also.map((one) => replacementOf(one, bytes)) }),
  };
  return value === undefined
    ? { op: "delete", key, expect: expect as Revision, ...more }
    : { op: "put", key, value: bytes.subarray(...value), expect, ttlSeconds, ...more };
}

const replacementOf = ({ key, value, expect }: SentReplacement, bytes: Uint8Array): Replacement =>
  value === undefined ? { key, expect: expect as Revision } : { key, value: bytes.subarray(...value), expect };
