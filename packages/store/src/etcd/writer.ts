/** The writes of one server: each is a transaction of etcd, whose fate is found out when its answer is lost. */

import type { UnaryMethod } from "@coxswain/grpc";
import { type Clock, type RandomSource, sleep } from "@coxswain/machinery";
import { refusalOf } from "../engine/compare-and-swap.ts";
import type { SealedValue } from "../engine/stored-values.ts";
import { getEntry, type Tree } from "../engine/tree.ts";
import {
  type Entry,
  OutcomeUnknownError,
  OverloadedError,
  type Revision,
  StorageError,
  type Write,
  type WriteNote,
  type WriteResult,
} from "../storage/store.ts";
import type { OwnWrite } from "./changes.ts";
import { type EtcdConnection, NotSentError, retryBudgetMs } from "./etcd-connection.ts";
import { inStorageWords, isOutOfSpace, isRefused, storageErrorOf, textOf } from "./etcd-errors.ts";
import type { Keyspace } from "./keys.ts";
import { ExpiryLeases } from "./leases.ts";
import { ServerKey } from "./server-key.ts";
import { Slots } from "./slots.ts";
import { encodeRecord } from "./write-record.ts";
import { type WriteTxn, type WriteTxnResult, writeTxnMethod } from "./write-txn.ts";

/** A write whose answer is waited for; its result is known once the tree shows it. */
export interface Pending extends OwnWrite {
  /** What it stores under the keys that it puts, but where that is the value as it is. */
  readonly sealed: ReadonlyMap<string, SealedValue>;
  /** Those of the tree before it. */
  readonly reloads: number;
  result: WriteResult | undefined;
}

/** What writes need of the tree that they end up in. */
export interface WrittenTree {
  readonly revision: Revision;
  readonly tree: Tree;
  /** How often changes were compacted before they came, so that writes among them were not seen. */
  readonly reloads: number;
  /** At a revision that was reached, or the newest where that is no longer kept. */
  treeAt(revision: Revision): Tree;
  /** @throws StorageError */
  reach(revision: Revision): Promise<void>;
  /** Shows an own write whose answer has come before the watch has, and nothing between. */
  takeOwn(pending: Pending, revision: Revision): void;
}

export interface WriterOptions {
  readonly etcd: EtcdConnection;
  readonly keys: Keyspace;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Values as they are stored; undefined where that is as they are. */
  readonly sealedOf: ((key: string, value: Uint8Array) => SealedValue | undefined) | undefined;
  readonly target: WrittenTree;
}

/** Before a write that was not written is tried again. */
const pauseMs = 100;

const nothing: ReadonlyMap<string, SealedValue> = new Map();
const asItIs = (_key: string, value: Uint8Array): Uint8Array => value;

/** @throws TransformError */
function sealedValues(op: Write, sealedOf: NonNullable<WriterOptions["sealedOf"]>): ReadonlyMap<string, SealedValue> {
  let sealed: Map<string, SealedValue> | undefined;
  const seal = (key: string, value: Uint8Array | undefined): void => {
    const one = value === undefined ? undefined : sealedOf(key, value);
    if (one === undefined) return;
    sealed ??= new Map();
    sealed.set(key, one);
  };
  if (op.also !== undefined) for (const { key, value } of op.also) seal(key, value);
  if (op.op === "put") seal(op.key, op.value);
  return sealed ?? nothing;
}

/** Whether certainly nobody has written the key since then. Where nothing is, something may have come and gone. */
const isUntouched = (op: Write, found: Entry | undefined): boolean => op.expect !== "absent" && found?.modified === op.expect;

/**
 * Under way at once. With many more, etcd takes longer to answer than a call may take; and of one whose answer has not come, the fence makes
 * all others fail as well.
 */
const maxTransactions = 256;

export class Writer implements AsyncDisposable {
  readonly server: ServerKey;
  /** Those without an answer, by the numbers in their records. */
  readonly pending = new Map<number, Pending>();
  readonly #options: WriterOptions;
  readonly #leases: ExpiryLeases;
  readonly #method: UnaryMethod<WriteTxn, WriteTxnResult>;
  #underWay = 0;
  #onIdle: (() => void) | undefined;
  readonly #slots = new Slots(maxTransactions);
  #lastId = 0;

  constructor(options: WriterOptions) {
    const { etcd, keys, clock, random } = options;
    this.#options = options;
    this.#method = writeTxnMethod(keys);
    this.server = new ServerKey({ etcd, clock, random, key: Buffer.from(keys.serverPrefix + random.uuid()) });
    this.#leases = new ExpiryLeases(etcd, clock, random);
  }

  /** Once all have their answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#underWay > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    await this.server[Symbol.asyncDispose]();
  }

  /** @throws StorageError, OutcomeUnknownError */
  async write(op: Write, note: WriteNote | undefined): Promise<WriteResult> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + retryBudgetMs;
    this.#underWay++;
    try {
      for (;;) {
        const lost = this.#alreadyLost(op);
        if (lost !== undefined) return lost;
        const turn = this.#slots.take();
        let outcome: WriteResult | Error;
        try {
          if (turn !== undefined) await turn;
          if (turn !== undefined && clock.monotonic() >= deadline) throw new OverloadedError("too many writes wait for etcd");
          outcome = await this.#attempt(op, note);
        } finally {
          this.#slots.give();
        }
        if (!(outcome instanceof Error)) return outcome;
        if (clock.monotonic() >= deadline) throw outcome;
        await sleep(clock, pauseMs);
      }
    } finally {
      if (--this.#underWay === 0) this.#onIdle?.();
    }
  }

  /** An error where nothing was written, and it may go well the next time. */
  async #attempt(op: Write, note: WriteNote | undefined): Promise<WriteResult | Error> {
    const { etcd, clock, sealedOf, target } = this.#options;
    const created = this.server.knownCreation ?? (await inStorageWords(() => this.server.created()));
    const lease = op.op === "put" && op.ttlSeconds !== undefined ? await this.#leaseFor(op.ttlSeconds) : undefined;
    const id = ++this.#lastId;
    const sealed = sealedOf === undefined ? nothing : sealedValues(op, sealedOf);
    const pending: Pending = { op, note, at: clock.now(), sealed, reloads: target.reloads, result: undefined };
    const storedOf = sealed === nothing ? asItIs : (key: string, value: Uint8Array): Uint8Array => sealed.get(key)?.stored ?? value;
    const txn = { op, storedOf, server: { key: this.server.key, created }, record: encodeRecord({ id, at: pending.at, note }), lease };
    this.pending.set(id, pending);
    try {
      const { revision, succeeded } = await etcd.once(this.#method, txn);
      if (!succeeded) return await this.#refused(op, revision, created);
      if (pending.result === undefined && revision === target.revision + 1) target.takeOwn(pending, revision);
      return pending.result ?? (await this.#reported(pending, revision));
    } catch (error) {
      if (error instanceof StorageError || error instanceof OutcomeUnknownError) throw error;
      return await this.#failed(error, created, pending);
    } finally {
      this.pending.delete(id);
    }
  }

  /** Of what ends by itself. @throws StorageError */
  #leaseFor(ttlSeconds: number): Promise<number> {
    return inStorageWords(() => this.#leases.leaseFor(ttlSeconds));
  }

  /** What the tree knows to be so: revisions of a key only grow. */
  #alreadyLost(op: Write): WriteResult | undefined {
    const { tree, revision } = this.#options.target;
    const entryAt = (key: string): Entry | undefined => getEntry(tree, key);
    const refusal = refusalOf(op, entryAt(op.key), entryAt);
    if (refusal === undefined) return undefined;
    const { key, modified: expected } = refusal.failed ?? { key: op.key, modified: op.expect };
    const found = entryAt(key);
    if (found === undefined || expected === "absent" || found.modified < expected) return undefined;
    return { ...refusal, revision };
  }

  /** A condition was not met: which, says the tree of that revision. */
  async #refused(op: Write, revision: Revision, created: number): Promise<WriteResult | Error> {
    const { target } = this.#options;
    await target.reach(revision);
    const tree = target.treeAt(revision);
    const entryAt = (key: string): Entry | undefined => getEntry(tree, key);
    const refusal = refusalOf(op, entryAt(op.key), entryAt);
    if (refusal !== undefined) return { ...refusal, revision: target.revision };
    this.server.lost(created);
    return new StorageError("etcd has forgotten this server");
  }

  async #failed(error: unknown, created: number, pending: Pending): Promise<WriteResult | Error> {
    if (error instanceof NotSentError) return storageErrorOf(error.cause);
    const isFull = isOutOfSpace(error);
    // That there is no more space etcd also says of the last writes for which there was some.
    if (isRefused(error) && !isFull) throw storageErrorOf(error);
    try {
      const fenced = await this.server.fence(created);
      await this.#options.target.reach(fenced as Revision);
    } catch (cause) {
      throw new OutcomeUnknownError(textOf(error), { cause });
    }
    if (pending.result !== undefined) return pending.result;
    const { op, reloads } = pending;
    const { target } = this.#options;
    // What was compacted may have had the record; but no write has touched what is still as this one expected it.
    if (reloads !== target.reloads && !isUntouched(op, getEntry(target.tree, op.key)))
      throw new OutcomeUnknownError(textOf(error), { cause: error });
    // Another attempt would be in vain.
    if (isFull) throw storageErrorOf(error);
    return storageErrorOf(error);
  }

  async #reported(pending: Pending, revision: Revision): Promise<WriteResult> {
    try {
      await this.#options.target.reach(revision);
    } catch (cause) {
      throw new OutcomeUnknownError("written, but etcd does not report it", { cause });
    }
    if (pending.result === undefined) throw new OutcomeUnknownError("written, but what has happened since then is not known");
    return pending.result;
  }
}
