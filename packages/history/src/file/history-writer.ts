/** Adds what has happened to the file. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RecordedChange } from "../changes/change-batch.ts";
import { identityOf } from "../changes/object-identity.ts";
import { encodeDelta } from "../delta/delta.ts";
import type { ChunkPlace, ChunkStore } from "./chunk-store.ts";
import { Interned } from "./interned.ts";
import { Latest } from "./latest.ts";
import { idOf } from "./schema.ts";

/** After so many differences a version is kept whole: to read one takes no more steps than this. */
const maxDepth = 15;
/** The table of times has an entry for each so many milliseconds in which something happened. */
const timesMs = 1_000;

export class HistoryWriter {
  readonly #db: DatabaseSync;
  readonly #chunks: ChunkStore;
  readonly #keys: Interned;
  readonly #writers: Interned;
  readonly #latest: Latest;
  readonly #insert: StatementSync;
  readonly #insertTime: StatementSync;
  readonly #setMeta: StatementSync;
  readonly #identify: StatementSync;
  #recorded: number | undefined;
  #lastTime = Number.NEGATIVE_INFINITY;

  constructor(db: DatabaseSync, chunks: ChunkStore) {
    this.#db = db;
    this.#chunks = chunks;
    this.#keys = new Interned(db, "keys", "key");
    this.#writers = new Interned(db, "writers", "writer");
    this.#latest = new Latest(db);
    this.#insert = db.prepare("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    this.#insertTime = db.prepare("INSERT OR IGNORE INTO times VALUES (?, ?)");
    this.#identify = db.prepare("UPDATE keys SET uid = ?, owner = ? WHERE id = ?");
    this.#setMeta = db.prepare("INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value");
    this.#recorded = metaOf(db, "recorded");
  }

  /** Up to where everything is recorded; undefined while nothing is. */
  get recorded(): number | undefined {
    return this.#recorded;
  }

  /**
   * Adds changes, in the order of their revisions, all of them or none; those that are there already are passed over.
   * @param upTo up to where they are all that happened
   */
  record(changes: Iterable<RecordedChange>, upTo: number): void {
    this.#transact(() => {
      let revision = -1;
      let n = 0;
      for (const change of changes) {
        if (change.revision <= (this.#recorded ?? -1)) continue;
        if (change.revision !== revision) {
          revision = change.revision;
          n = 0;
          if (this.#chunks.isFull) this.#chunks.close();
        }
        this.#add(idOf(revision, n++), change);
      }
      this.#chunks.close();
      this.#setMeta.run("recorded", upTo);
    });
    this.#recorded = upTo;
  }

  /**
   * Begins with a whole state: the entries at a revision, of which nothing earlier is known. What happened since what was recorded last is
   * a gap. Where that is newer, the store is not the one that it was: its past is given up.
   * @param now when the state is that; milliseconds since the epoch
   */
  begin(entries: Iterable<RecordedChange>, at: number, now: number): void {
    const before = this.#recorded !== undefined && this.#recorded > at ? undefined : this.#recorded;
    this.#transact(() => {
      if (before !== this.#recorded) this.#forgetAll();
      const missing = before === undefined ? new Set<number>() : this.#latest.living();
      for (const entry of [...entries].sort((a, b) => a.revision - b.revision)) {
        const key = this.#keys.idOf(entry.key);
        missing.delete(key);
        if (this.#latest.of(key)?.revision === entry.revision) continue;
        if (this.#chunks.isFull) this.#chunks.close();
        this.#add(freeId(this.#db, entry.revision), entry);
      }
      for (const key of missing) this.#addDeletion(freeId(this.#db, at), key);
      this.#chunks.close();
      if (before === undefined) this.#setMeta.run("oldest", at);
      else this.#db.prepare("INSERT OR REPLACE INTO gaps VALUES (?, ?)").run(before, at);
      this.#setMeta.run("recorded", at);
      this.#insertTime.run(idOf(at), now);
    });
    this.#recorded = at;
  }

  #forgetAll(): void {
    for (const table of ["versions", "chunks", "carried", "keys", "writers", "times", "gaps"]) this.#db.exec(`DELETE FROM ${table}`);
    this.#db.exec("DELETE FROM meta WHERE name <> 'format'");
    this.#chunks.abandon();
    this.forgetKnown();
    this.#lastTime = Number.NEGATIVE_INFINITY;
  }

  /** What is in the file has changed otherwise. */
  forgetKnown(): void {
    this.#latest.clear();
    this.#keys.clear();
    this.#writers.clear();
  }

  #add(id: number, { key, at, note, value, isSealed, previous }: RecordedChange): void {
    const keyId = this.#keys.idOf(key);
    const latest = this.#latest.of(keyId);
    const parsed = parseNote(note);
    const writer = parsed.writer === undefined ? null : this.#writers.idOf(parsed.writer);
    let depth = value === undefined ? -1 : 0;
    let bytes = value;
    if (value !== undefined && !isSealed && previous !== undefined && latest !== undefined && !latest.isSealed) {
      const follows = latest.revision === previous.revision && latest.depth >= 0 && latest.depth < maxDepth;
      const delta = follows ? encodeDelta(previous.value, value) : undefined;
      if (delta !== undefined && delta.byteLength < value.byteLength * maxShare) {
        bytes = delta;
        depth = latest.depth + 1;
      }
    }
    if (value !== undefined && !isSealed && (latest === undefined || latest.depth < 0)) this.#setIdentity(keyId, value);
    const place = bytes === undefined ? this.#chunks.addNothing(id) : this.#chunks.add(id, bytes);
    this.#write({ id, key: keyId, at, writer, request: parsed.request, readAt: parsed.readAt, depth, isSealed, place });
  }

  #setIdentity(key: number, value: Uint8Array): void {
    const { uid, owner } = identityOf(value);
    this.#identify.run(uid ?? null, owner ?? null, key);
  }

  #addDeletion(id: number, key: number): void {
    const place = this.#chunks.addNothing(id);
    this.#write({
      id,
      key,
      at: this.#latest.of(key)?.at ?? 0,
      writer: null,
      request: null,
      readAt: null,
      depth: -1,
      isSealed: false,
      place,
    });
  }

  #write({ id, key, at, writer, request, readAt, depth, isSealed, place }: Row): void {
    const { chunk, position, length } = place;
    this.#insert.run(id, key, at, writer, request, readAt, depth, isSealed ? 1 : 0, chunk, position, length);
    this.#latest.set(key, { id, at, depth, isSealed });
    if (Math.abs(at - this.#lastTime) < timesMs) return;
    this.#lastTime = at;
    this.#insertTime.run(id, at);
  }

  #transact(body: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      body();
      this.#db.exec("COMMIT");
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      this.#chunks.abandon();
      this.forgetKnown();
      throw error;
    }
  }
}

interface Row {
  readonly id: number;
  readonly key: number;
  readonly at: number;
  readonly writer: number | null;
  readonly request: string | null;
  readonly readAt: string | null;
  readonly depth: number;
  readonly isSealed: boolean;
  readonly place: ChunkPlace;
}

/** A difference that is not much smaller than the whole is not worth the steps to read it. */
const maxShare = 0.6;

/** What many writes have in common stands once for all of them; a request and what it had read is of one write alone. */
function parseNote(note: string | undefined): {
  readonly writer: string | undefined;
  readonly request: string | null;
  readonly readAt: string | null;
} {
  if (note === undefined) return { writer: undefined, request: null, readAt: null };
  const { requestId, readAt, ...writer } = JSON.parse(note);
  return {
    writer: JSON.stringify(writer),
    request: typeof requestId === "string" ? requestId : null,
    readAt: typeof readAt === "string" ? readAt : null,
  };
}

export function metaOf(db: DatabaseSync, name: string): number | undefined {
  const value = db.prepare("SELECT value FROM meta WHERE name = ?").get(name)?.value;
  return typeof value === "number" ? value : undefined;
}

/** The first id of a revision that no version has. */
function freeId(db: DatabaseSync, revision: number): number {
  const { last } =
    db.prepare("SELECT max(id) AS last FROM versions WHERE id >= ? AND id < ?").get(idOf(revision), idOf(revision + 1)) ?? {};
  return typeof last === "number" ? last + 1 : idOf(revision);
}
