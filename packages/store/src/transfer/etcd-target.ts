/** A state that is put into etcd, entry by entry. As long as it is not complete a key says so, and servers do not start on it. */
import type { Clock, RandomSource } from "@coxswain/machinery";
import { newestRevision } from "../etcd/current-revision.ts";
import { EtcdConnection } from "../etcd/etcd-connection.ts";
import { isCompacted, textOf } from "../etcd/etcd-errors.ts";
import { type Keyspace, keyspaceOf } from "../etcd/keys.ts";
import { ExpiryLeases } from "../etcd/leases.ts";
import type { RequestOp } from "../etcd/protocol.ts";
import { endOf } from "../etcd/read-etcd.ts";
import { StorageError } from "../storage/store.ts";
import { type EtcdPlace, openEtcdSource } from "./etcd-source.ts";
import { serverLeases } from "./server-leases.ts";
import { StateDigest, type StateEntry, type StateSource, type StateSummary, type StateTarget, type TargetReport } from "./state.ts";
import { checkSameState } from "./transfer-state.ts";

/** Which etcd, and what becomes of what is there. */
export interface EtcdTargetOptions extends EtcdPlace {
  readonly random: RandomSource;
  /** Whether a state that is there is replaced. */
  readonly replaces: boolean;
  /** Where the state comes from, which must not be the same place. */
  readonly source?: Pick<StateSource, "holds">;
}

/** Puts that are under way at once: etcd writes those that wait together to its disk. */
const concurrency = 128;
/** Keys that are deleted in one revision. */
const deletedAtOnce = 1_000;
/** Entries that end within so long of each other share leases, and none ends before it can be read back. */
const ttlStepSeconds = 30;
const minTtlSeconds = 300;

/** Opens a place in etcd for a state, and empties it. @throws StorageError where there is a state that is not to be replaced, or a server uses it */
export async function openEtcdTarget(options: EtcdTargetOptions): Promise<StateTarget> {
  const { servers, tls, prefix, clock, random, replaces, source } = options;
  const etcd = new EtcdConnection({ servers, ...(tls === undefined ? {} : { tls }) }, clock);
  const keys = keyspaceOf(prefix);
  try {
    await requireNoServers(etcd, keys);
    const isCutOff = (await etcd.range({ key: keys.incomplete })).kvs.length > 0;
    const { count } = await etcd.range({ key: keys.objects, rangeEnd: keys.end, countOnly: true });
    if (count > 0 && !replaces && !isCutOff) throw new StorageError(`there is a state in etcd already: ${count} keys below ${keys.root}/`);
    const mark = Buffer.from(random.uuid());
    await etcd.repeatable("Txn", { compare: [], success: [put(keys.incomplete, mark)] });
    if ((await source?.holds?.(keys.incomplete, mark)) === true) {
      await etcd.repeatable("DeleteRange", { key: keys.incomplete });
      throw new StorageError("the state would be copied onto itself");
    }
    await deleteAll(etcd, keys);
    return new EtcdTarget({ etcd, keys, clock, leases: new ExpiryLeases(etcd, clock, random), place: options });
  } catch (error) {
    etcd[Symbol.dispose]();
    throw writeError(error);
  }
}

interface Parts {
  readonly etcd: EtcdConnection;
  readonly keys: Keyspace;
  readonly clock: Clock;
  readonly leases: ExpiryLeases;
  readonly place: EtcdPlace;
}

class EtcdTarget implements StateTarget {
  readonly prefix: string;
  readonly #parts: Parts;
  #entries = 0;

  constructor(parts: Parts) {
    this.prefix = parts.keys.root;
    this.#parts = parts;
  }

  /** Each in a revision of its own, as Kubernetes has it. */
  async write(entries: readonly StateEntry[]): Promise<void> {
    this.#entries += entries.length;
    const waiting = entries.values();
    const work = async (): Promise<void> => {
      for (const entry of waiting) await this.#put(entry);
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, entries.length) }, work));
  }

  async finish(written: StateSummary): Promise<TargetReport> {
    const { etcd, keys, place } = this.#parts;
    try {
      const revision = await newestRevision(etcd, keys);
      const digest = new StateDigest();
      await using found = await openEtcdSource({ ...place, isIncomplete: true });
      for await (const page of found.pages()) for (const entry of page) digest.add(entry);
      checkSameState(digest.summary, written, "etcd");
      // Who asks for what was before is told to list anew.
      await this.#compact(revision);
      await etcd.repeatable("Txn", { compare: [], success: [{ requestDeleteRange: { key: keys.incomplete } }] });
      return { revision: revision + 1, renumbered: this.#entries };
    } catch (error) {
      throw writeError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.etcd[Symbol.dispose]();
  }

  async #put({ key, value, ttlSeconds }: StateEntry): Promise<void> {
    const { etcd, keys, leases } = this.#parts;
    try {
      const lease =
        ttlSeconds === undefined
          ? undefined
          : await leases.leaseFor(Math.max(minTtlSeconds, Math.ceil(ttlSeconds / ttlStepSeconds) * ttlStepSeconds));
      // Also when an answer was lost: the same is put once more.
      await etcd.repeatable("Txn", { compare: [], success: [put(keys.toEtcd(key), value, lease)] });
    } catch (error) {
      throw new StorageError(`failed to write ${key} to etcd: ${textOf(error)}`, { cause: error });
    }
  }

  async #compact(revision: number): Promise<void> {
    try {
      await this.#parts.etcd.repeatable("Compact", { revision });
    } catch (error) {
      if (!isCompacted(error)) throw error;
    }
  }
}

const put = (key: Uint8Array, value: Uint8Array, lease?: number): RequestOp => ({
  requestPut: { key, value, ...(lease === undefined ? {} : { lease }) },
});

const writeError = (error: unknown): StorageError =>
  error instanceof StorageError ? error : new StorageError(`failed to write to etcd: ${textOf(error)}`, { cause: error });

/** Coxswain's are there a minute after a server was killed, Kubernetes' a quarter of one. */
async function requireNoServers(etcd: EtcdConnection, keys: Keyspace): Promise<void> {
  const prefixes = [Buffer.from(keys.serverPrefix), ...serverLeases.map((prefix) => keys.toEtcd(prefix))];
  for (const key of prefixes) {
    const { kvs } = await etcd.range({ key, rangeEnd: endOf(key), limit: 1, keysOnly: true });
    if (kvs[0] === undefined) continue;
    const noted = "what a server that was killed leaves goes within a minute";
    throw new StorageError(`a server uses the state in etcd (${kvs[0].key}): stop it first; ${noted}`);
  }
}

async function deleteAll(etcd: EtcdConnection, keys: Keyspace): Promise<void> {
  for (;;) {
    const { kvs } = await etcd.range({ key: keys.objects, rangeEnd: keys.end, limit: deletedAtOnce, keysOnly: true });
    const last = kvs.at(-1);
    if (last === undefined) return;
    await etcd.repeatable("DeleteRange", { key: keys.objects, rangeEnd: Buffer.concat([last.key, Buffer.of(0)]) });
  }
}
