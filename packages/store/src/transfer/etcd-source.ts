/** The state in etcd at its newest revision: pages of that revision, whatever is written meanwhile. */
import type { Clock } from "@coxswain/machinery";
import { newestRevision } from "../etcd/current-revision.ts";
import { EtcdConnection, type EtcdServers } from "../etcd/etcd-connection.ts";
import { isCompacted, textOf } from "../etcd/etcd-errors.ts";
import { type Keyspace, keyspaceOf } from "../etcd/keys.ts";
import type { KeyValue } from "../etcd/protocol.ts";
import { requireComplete } from "../etcd/read-etcd.ts";
import { StorageError } from "../storage/store.ts";
import { isServerLease } from "./server-leases.ts";
import { pageBytes, type StateEntry, type StateSource } from "./state.ts";

/** Which etcd, and where in it. */
export interface EtcdPlace extends EtcdServers {
  /** As `--etcd-prefix`. */
  readonly prefix: string;
  readonly clock: Clock;
}

/** Which etcd, and in what condition. */
export interface EtcdSourceOptions extends EtcdPlace {
  /** Whether it may be what a copy has not ended with. */
  readonly isIncomplete?: boolean;
}

/** Opens the state in etcd to be read. @throws StorageError where no member answers, or what is there was copied in part */
export async function openEtcdSource({ servers, tls, prefix, clock, isIncomplete = false }: EtcdSourceOptions): Promise<StateSource> {
  const etcd = new EtcdConnection({ servers, ...(tls === undefined ? {} : { tls }) }, clock);
  const keys = keyspaceOf(prefix);
  try {
    if (!isIncomplete) await requireComplete(etcd, keys);
    const revision = await newestRevision(etcd, keys);
    const { count } = await etcd.range({ key: keys.objects, rangeEnd: keys.end, countOnly: true, revision });
    const pages = (): AsyncIterable<readonly StateEntry[]> => pagesOf(etcd, keys, revision);
    const holds = async (key: Uint8Array, value: Uint8Array): Promise<boolean> =>
      (await etcd.range({ key })).kvs.some((kv) => kv.value.equals(value));
    return { revision, entries: count, prefix: keys.root, pages, holds, [Symbol.asyncDispose]: async () => etcd[Symbol.dispose]() };
  } catch (error) {
    etcd[Symbol.dispose]();
    throw readError(error);
  }
}

const readError = (error: unknown): StorageError =>
  error instanceof StorageError ? error : new StorageError(`failed to read etcd: ${textOf(error)}`, { cause: error });

/** The first page has to be small whatever objects are like; the next ones are as their sizes let them. */
const firstEntries = 20;
const maxEntries = 1_000;

async function* pagesOf(etcd: EtcdConnection, keys: Keyspace, revision: number): AsyncGenerator<readonly StateEntry[], void, undefined> {
  const leases = new Leases(etcd);
  try {
    for (let [key, limit] = [keys.objects, firstEntries]; ; ) {
      const { kvs, more } = await etcd.range({ key, rangeEnd: keys.end, limit, revision });
      const page: StateEntry[] = [];
      for (const kv of kvs) {
        const own = keys.fromEtcd(kv.key);
        if (own === undefined || isServerLease(own)) continue;
        const ttlSeconds = await leases.ttlOf(kv);
        page.push({ key: own, value: kv.value, created: kv.createRevision, modified: kv.modRevision, at: undefined, ttlSeconds });
      }
      yield page;
      const last = kvs.at(-1);
      if (!more || last === undefined) return;
      key = Buffer.concat([last.key, Buffer.of(0)]);
      limit = nextLimit(kvs);
    }
  } catch (error) {
    if (isCompacted(error)) throw new StorageError(`etcd has forgotten revision ${revision} meanwhile: try again`, { cause: error });
    throw readError(error);
  }
}

function nextLimit(kvs: readonly KeyValue[]): number {
  const bytes = kvs.reduce((sum, { value }) => sum + value.length, 1);
  return Math.max(firstEntries, Math.min(maxEntries, Math.floor((pageBytes * kvs.length) / bytes)));
}

/** How long leases still last: each is asked for once, for many entries share one. */
class Leases {
  readonly #etcd: EtcdConnection;
  readonly #known = new Map<string, number>();

  constructor(etcd: EtcdConnection) {
    this.#etcd = etcd;
  }

  /** Undefined for what has none. */
  async ttlOf({ lease }: KeyValue): Promise<number | undefined> {
    if (lease === "0") return undefined;
    const known = this.#known.get(lease);
    if (known !== undefined) return known;
    const { TTL: seconds } = await this.#etcd.repeatable<{ readonly TTL: number }>("LeaseTimeToLive", { ID: lease });
    // Of one that has ended meanwhile it is -1.
    const left = Math.max(1, seconds);
    this.#known.set(lease, left);
    return left;
  }
}
