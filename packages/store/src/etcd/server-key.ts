/**
 * The key of one server. Each of its writes is on condition that the key was created when the server thinks it was: so once the key is
 * deleted, no write of before can take effect any more, however long it was on its way, and what became of each can be known.
 */
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { EtcdConnection } from "./etcd-connection.ts";
import { grantLease, keepLease } from "./leases.ts";
import type { Header, TxnResponse } from "./protocol.ts";

/** How long the key is there when its server is gone. */
const ttlSeconds = 60;

export interface ServerKeyOptions {
  readonly etcd: EtcdConnection;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly key: Buffer;
}

export class ServerKey implements AsyncDisposable {
  readonly #options: ServerKeyOptions;
  #created: Promise<number> | undefined;
  #known: number | undefined;
  #kept: AbortController | undefined;
  #lease: number | undefined;
  #touching = false;
  readonly #fencing = new Map<number, Promise<number>>();

  constructor(options: ServerKeyOptions) {
    this.#options = options;
  }

  get key(): Buffer {
    return this.#options.key;
  }

  /** The same as `created` says, when that is known already. */
  get knownCreation(): number | undefined {
    return this.#known;
  }

  /** The revision in which the key was created. */
  created(): Promise<number> {
    if (this.#created === undefined) {
      const created = this.#create();
      this.#created = created;
      created.then(
        (revision) => {
          if (this.#created === created) this.#known = revision;
        },
        () => this.#forget(created),
      );
    }
    return this.#created;
  }

  /** It is not there any more: the next write makes another. */
  lost(created: number): void {
    if (this.#known !== created) return;
    this.#known = undefined;
    this.#created = undefined;
  }

  /** Sees to it that no write that counts on this creation takes effect any more. Resolves with a revision from which on that is so. */
  fence(created: number): Promise<number> {
    const known = this.#fencing.get(created);
    if (known !== undefined) return known;
    const fenced = this.#delete(created);
    this.#fencing.set(created, fenced);
    fenced.then(
      () => this.lost(created),
      () => this.#fencing.delete(created),
    );
    return fenced;
  }

  /** Writes the key, so that every watch comes to a revision from now: behind all changes before, for those are in order. */
  touch(): void {
    if (this.#touching) return;
    this.#touching = true;
    const over = (): void => {
      this.#touching = false;
    };
    // One that fails is followed by another, for as long as somebody waits.
    this.#write().then(over, over);
  }

  #forget(created: Promise<number>): void {
    if (this.#created === created) this.#created = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kept?.abort();
    if (this.#lease !== undefined) await this.#options.etcd.revoke(this.#lease);
  }

  async #create(): Promise<number> {
    const { etcd, clock, random, key } = this.#options;
    this.#kept?.abort();
    this.#kept = new AbortController();
    // For an older creation they say the same when they are asked again.
    this.#fencing.clear();
    const { signal } = this.#kept;
    const lease = await grantLease(etcd, random, ttlSeconds);
    this.#lease = lease;
    // Nobody else writes it: that it is there already means that an answer was lost, or that it was deleted and made again meanwhile.
    const { header } = await etcd.repeatable<{ readonly header: Header }>("Txn", {
      compare: [{ target: "CREATE", key, createRevision: 0 }],
      success: [{ requestPut: { key, value: Buffer.alloc(0), lease } }],
    });
    const { kvs } = await etcd.range({ key, revision: header.revision });
    const created = kvs[0]?.createRevision ?? header.revision;
    void keepLease({ etcd, clock, id: lease, everyMs: (ttlSeconds * 1000) / 3, signal }).then(() => {
      if (!signal.aborted) this.lost(created);
    });
    return created;
  }

  async #write(): Promise<void> {
    const { etcd, key } = this.#options;
    const created = await this.created();
    const { succeeded } = await etcd.repeatable<TxnResponse>("Txn", {
      compare: [{ target: "CREATE", key, createRevision: created }],
      success: [{ requestPut: { key, value: Buffer.alloc(0), ignoreLease: true } }],
    });
    if (!succeeded) this.lost(created);
  }

  async #delete(created: number): Promise<number> {
    const { etcd, key } = this.#options;
    const { header } = await etcd.repeatable<TxnResponse>("Txn", {
      compare: [{ target: "CREATE", key, createRevision: created }],
      success: [{ requestDeleteRange: { key } }],
    });
    return header.revision;
  }
}
