/** The newest version of each key. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { revisionOfId } from "./schema.ts";

interface LatestVersion {
  readonly id: number;
  readonly at: number;
  readonly depth: number;
  readonly isSealed: boolean;
}

/** So many are known without looking. */
const maxKnown = 32_768;

export class Latest {
  readonly #db: DatabaseSync;
  readonly #select: StatementSync;
  readonly #known = new Map<number, LatestVersion>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#select = db.prepare("SELECT id, at, depth, sealed FROM versions WHERE key = ? ORDER BY id DESC LIMIT 1");
  }

  of(key: number): (LatestVersion & { readonly revision: number }) | undefined {
    const version = this.#known.get(key) ?? this.#read(key);
    return version === undefined ? undefined : { ...version, revision: revisionOfId(version.id) };
  }

  set(key: number, version: LatestVersion): void {
    if (this.#known.size >= maxKnown && !this.#known.has(key)) this.#known.clear();
    this.#known.set(key, version);
  }

  clear(): void {
    this.#known.clear();
  }

  /** Ids of the keys that are there. */
  living(): Set<number> {
    const newest = "SELECT key, depth, max(id) FROM versions GROUP BY key";
    const found = this.#db.prepare(`SELECT key FROM (${newest}) WHERE depth >= 0`).all();
    return new Set(found.map(({ key }) => Number(key)));
  }

  #read(key: number): LatestVersion | undefined {
    const found = this.#select.get(key);
    if (found === undefined) return undefined;
    return { id: Number(found.id), at: Number(found.at), depth: Number(found.depth), isSealed: found.sealed === 1 };
  }
}
