/** Texts that stand in the file once, and are named by a number. */
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** So many are known without looking. */
const maxKnown = 32_768;

export class Interned {
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #known = new Map<string, number>();

  constructor(db: DatabaseSync, table: "keys" | "writers", column: "key" | "writer") {
    this.#select = db.prepare(`SELECT id FROM ${table} WHERE ${column} = ?`);
    this.#insert = db.prepare(`INSERT INTO ${table} (${column}) VALUES (?)`);
  }

  idOf(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const found = this.#select.get(text)?.id;
    const id = typeof found === "number" ? found : Number(this.#insert.run(text).lastInsertRowid);
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(text, id);
    return id;
  }

  clear(): void {
    this.#known.clear();
  }
}
