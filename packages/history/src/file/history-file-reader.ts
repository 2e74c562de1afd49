/** Reads what the file has. All of it blocks: it is for the thread that has the file. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { WriteNote } from "@coxswain/store";
import {
  type HistoryGap,
  HistoryUnknownError,
  type ObjectIdentity,
  type PastEntry,
  type VersionInfo,
  type VersionRange,
} from "../contracts/history-reader.ts";
import { applyDelta } from "../delta/delta.ts";
import { type ChunkStore, decompress } from "./chunk-store.ts";
import { metaOf } from "./history-writer.ts";
import { HistoryFileError, idOf, revisionOfId } from "./schema.ts";

/** An entry as it was, in the form in which it is stored. */
export interface StoredEntry extends PastEntry {
  /** Its value is encrypted. */
  readonly isSealed: boolean;
}

/** A page of such entries. */
export interface StoredList {
  readonly entries: readonly StoredEntry[];
  /** How many come behind the last one. */
  readonly remaining: number;
}

/** A version with its value in the form in which it is stored. */
export interface StoredVersion extends VersionInfo {
  readonly value: Uint8Array | undefined;
  readonly isSealed: boolean;
}

/** A version as its row describes it. */
export interface VersionRow {
  readonly id: number;
  readonly depth: number;
  readonly sealed: number;
  readonly chunk: number;
  readonly position: number;
  readonly length: number;
}

interface Found {
  readonly key: string;
  readonly row: VersionRow;
  readonly chain: readonly VersionRow[];
}

const ofValue = "id, depth, sealed, chunk, position, length";
const ofInfo = "versions.id AS id, keys.key AS key, at, depth, request, read_at, writers.writer AS writer";
const infoTables = "versions JOIN keys ON keys.id = versions.key LEFT JOIN writers ON writers.id = versions.writer";

export class HistoryFileReader {
  readonly #db: DatabaseSync;
  readonly #chunks: ChunkStore;
  readonly #keyOf: StatementSync;
  readonly #newest: StatementSync;
  readonly #chain: StatementSync;
  readonly #carried: StatementSync;
  readonly #keysFrom: StatementSync;
  readonly #versionsOf: StatementSync;
  readonly #valuesOf: StatementSync;
  readonly #changes: StatementSync;
  readonly #newestChanges: StatementSync;
  readonly #identityOf: StatementSync;

  constructor(db: DatabaseSync, chunks: ChunkStore) {
    this.#db = db;
    this.#chunks = chunks;
    this.#keyOf = db.prepare("SELECT id FROM keys WHERE key = ?");
    this.#newest = db.prepare(`SELECT ${ofValue} FROM versions WHERE key = ? AND id < ? ORDER BY id DESC LIMIT 1`);
    this.#chain = db.prepare(`SELECT ${ofValue} FROM versions WHERE key = ? AND id <= ? ORDER BY id DESC LIMIT ?`);
    this.#carried = db.prepare("SELECT data FROM carried WHERE id = ?");
    this.#keysFrom = db.prepare("SELECT id, key FROM keys WHERE key > ? AND key >= ? AND key < ? ORDER BY key");
    this.#versionsOf = db.prepare(
      `SELECT ${ofInfo} FROM ${infoTables} WHERE versions.key = ? AND versions.id >= ? AND versions.id < ? ORDER BY versions.id DESC LIMIT ?`,
    );
    this.#valuesOf = db.prepare(
      `SELECT ${ofInfo}, sealed, chunk, position, length FROM ${infoTables} WHERE versions.key = ? AND versions.id >= ? AND versions.id < ? ORDER BY versions.id DESC LIMIT ?`,
    );
    const changes = `SELECT ${ofInfo} FROM ${infoTables} WHERE versions.id >= ? AND versions.id < ? AND keys.key >= ? AND keys.key < ? ORDER BY versions.id`;
    this.#changes = db.prepare(`${changes} LIMIT ?`);
    this.#newestChanges = db.prepare(`${changes} DESC LIMIT ?`);
    this.#identityOf = db.prepare("SELECT uid, owner FROM keys WHERE key = ?");
  }

  get gaps(): readonly HistoryGap[] {
    return this.#db
      .prepare("SELECT after, until FROM gaps ORDER BY after")
      .all()
      .map(({ after, until }) => ({ after: Number(after), until: Number(until) }));
  }

  get(key: string, at: number): StoredEntry | undefined {
    this.requireKnown(at);
    const id = this.#keyOf.get(key)?.id;
    return typeof id === "number" ? this.#entryOf(id, key, at) : undefined;
  }

  list(prefix: string, at: number, { after = "", limit }: { readonly after?: string; readonly limit: number }): StoredList {
    this.requireKnown(at);
    const found: Found[] = [];
    let remaining = 0;
    for (const { id, key } of this.#keysFrom.iterate(after, prefix, beyond(prefix))) {
      const row = this.#newestOf(Number(id), at);
      if (row === undefined) continue;
      if (found.length === limit) remaining++;
      else found.push({ key: String(key), row, chain: this.#chainOf(Number(id), row) });
    }
    return { entries: this.#readAll(found), remaining };
  }

  versionsOf(key: string, range: VersionRange): readonly VersionInfo[] {
    const id = this.#keyOf.get(key)?.id;
    if (typeof id !== "number") return [];
    return this.#versionsOf.all(id, ...idsOf(range), range.limit).map(infoOf);
  }

  /** With their values. */
  valuesOf(key: string, range: VersionRange): readonly StoredVersion[] {
    const keyId = this.#keyOf.get(key)?.id;
    if (typeof keyId !== "number") return [];
    const found = this.#valuesOf.all(keyId, ...idsOf(range), range.limit).reverse();
    let before: Uint8Array | undefined;
    const versions = found.map((one): StoredVersion => {
      const row = rowOf(one);
      if (row.depth < 0) before = undefined;
      else if (row.depth === 0 || before === undefined) before = this.valueOf(keyId, row);
      else before = applyDelta(before, this.#bytesOf(row));
      return { ...infoOf(one), value: before, isSealed: row.sealed !== 0 };
    });
    return versions.reverse();
  }

  changes(prefix: string, range: VersionRange): readonly VersionInfo[] {
    const select = range.isNewestFirst === true ? this.#newestChanges : this.#changes;
    return select.all(...idsOf(range), prefix, beyond(prefix), range.limit).map(infoOf);
  }

  identitiesOf(keys: readonly string[]): readonly ObjectIdentity[] {
    return keys.map((key) => {
      const { uid, owner } = this.#identityOf.get(key) ?? {};
      return { ...(typeof uid === "string" ? { uid } : {}), ...(typeof owner === "string" ? { owner } : {}) };
    });
  }

  revisionAt(time: number): number {
    const found = this.#db.prepare("SELECT id FROM times WHERE at <= ? ORDER BY at DESC, id DESC LIMIT 1").get(time)?.id;
    const oldest = metaOf(this.#db, "oldest");
    if (oldest === undefined) throw new HistoryUnknownError("no history is kept yet");
    const from = typeof found === "number" ? found : 0;
    // The table has one entry for each second: what came later in that second comes before the next entry.
    const within = "id >= ? AND id < coalesce((SELECT min(id) FROM times WHERE id > ?), 9007199254740991) AND at <= ?";
    const later = this.#db.prepare(`SELECT max(id) AS id FROM versions WHERE ${within}`).get(from, from, time)?.id;
    const revision = revisionOfId(Math.max(from, typeof later === "number" ? later : 0));
    if (revision < oldest) throw new HistoryUnknownError(this.#beginning(oldest));
    return revision;
  }

  /** When the newest version up to a revision was written, as far as that is still known. */
  timeOf(revision: number): number | undefined {
    // Where the version itself is no longer kept, there is the second in which it was written.
    const newest = (table: string): string => `SELECT id, at FROM (SELECT id, at FROM ${table} WHERE id < ? ORDER BY id DESC LIMIT 1)`;
    const found = this.#db
      .prepare(`${newest("versions")} UNION ALL ${newest("times")} ORDER BY id DESC LIMIT 1`)
      .get(idOf(revision + 1), idOf(revision + 1));
    return typeof found?.at === "number" ? found.at : undefined;
  }

  /** @throws HistoryUnknownError where it is not known what was */
  requireKnown(at: number): void {
    const oldest = metaOf(this.#db, "oldest");
    if (oldest === undefined) throw new HistoryUnknownError("no history is kept yet");
    if (at < oldest) throw new HistoryUnknownError(this.#beginning(oldest));
    for (const { after, until } of this.gaps) {
      if (at > after && at < until)
        throw new HistoryUnknownError(`it was not recorded what happened between the resourceVersions ${after} and ${until}`);
    }
  }

  /** The bytes of a version as they were recorded. */
  valueOf(key: number, row: VersionRow): Uint8Array {
    return assembled(this.#chainOf(key, row), (one) => this.#bytesOf(one));
  }

  #beginning(oldest: number): string {
    const at = this.timeOf(oldest);
    return `the history begins at resourceVersion ${oldest}${at === undefined ? "" : `, of ${new Date(at).toISOString()}`}`;
  }

  #entryOf(keyId: number, key: string, at: number): StoredEntry | undefined {
    const row = this.#newestOf(keyId, at);
    return row === undefined ? undefined : storedEntry(key, row, this.valueOf(keyId, row));
  }

  #newestOf(key: number, at: number): VersionRow | undefined {
    const found = this.#newest.get(key, idOf(at + 1));
    return found === undefined || Number(found.depth) < 0 ? undefined : rowOf(found);
  }

  /**
   * What a version is made of, the whole one first. Fewer than its depth says where the older ones are no longer kept: the oldest that is,
   * is then whole.
   */
  #chainOf(key: number, row: VersionRow): readonly VersionRow[] {
    if (row.depth === 0) return [row];
    const chain = this.#chain.all(key, row.id, row.depth + 1).map(rowOf);
    const whole = chain.findIndex(({ depth }) => depth <= 0);
    if (chain[whole]?.depth !== 0) throw new HistoryFileError(`what version ${row.id} of the history was made of is missing`);
    return chain.slice(0, whole + 1).reverse();
  }

  /** Versions of many keys are spread over many chunks: each is decompressed once. */
  #readAll(found: readonly Found[]): StoredEntry[] {
    const parts = found.flatMap(({ chain }) => chain).sort((a, b) => a.chunk - b.chunk);
    const bytes = new Map(parts.map((row) => [row.id, this.#bytesOf(row)]));
    return found.map(({ key, row, chain }) =>
      storedEntry(
        key,
        row,
        assembled(chain, ({ id }) => bytes.get(id) as Uint8Array),
      ),
    );
  }

  #bytesOf(row: VersionRow): Uint8Array {
    if (row.chunk !== 0) return this.#chunks.bytesAt(row);
    const data = this.#carried.get(row.id)?.data;
    if (!(data instanceof Uint8Array)) throw new HistoryFileError(`version ${row.id} of the history is missing`);
    return decompress(data);
  }
}

const storedEntry = (key: string, { id, sealed }: VersionRow, value: Uint8Array): StoredEntry => ({
  key,
  modified: revisionOfId(id),
  value,
  isSealed: sealed !== 0,
});

function assembled(chain: readonly VersionRow[], bytesOf: (row: VersionRow) => Uint8Array): Uint8Array {
  let value: Uint8Array | undefined;
  for (const row of chain) value = value === undefined ? bytesOf(row) : applyDelta(value, bytesOf(row));
  return value ?? new Uint8Array(0);
}

export const rowOf = (found: Record<string, unknown>): VersionRow => ({
  id: Number(found.id),
  depth: Number(found.depth),
  sealed: Number(found.sealed),
  chunk: Number(found.chunk),
  position: Number(found.position),
  length: Number(found.length),
});

function infoOf({ id, key, at, depth, writer, request, read_at: readAt }: Record<string, unknown>): VersionInfo {
  const note: WriteNote | undefined =
    typeof writer !== "string"
      ? undefined
      : {
          ...JSON.parse(writer),
          ...(typeof request === "string" ? { requestId: request } : {}),
          ...(typeof readAt === "string" ? { readAt } : {}),
        };
  return { key: String(key), revision: revisionOfId(Number(id)), at: Number(at), isDeletion: Number(depth) < 0, note };
}

/** The ids of the versions of a range: from the first one up to before the second one. */
const idsOf = ({ after, upTo }: VersionRange): readonly [number, number] => [
  after === undefined ? 0 : idOf(after + 1),
  upTo === undefined ? Number.MAX_SAFE_INTEGER : idOf(upTo + 1),
];

/** No key with the prefix comes behind this: keys are compared by their bytes in UTF-8. */
const beyond = (prefix: string): string => `${prefix}\u{10FFFF}\u{10FFFF}`;
