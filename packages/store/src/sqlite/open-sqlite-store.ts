import type { Store } from "../storage/store.ts";
import type { SqliteOptions } from "./sqlite-store.ts";

/**
 * A store in one file. A write is acknowledged, and visible, only when it is on disk; the history survives too.
 * SQLite is loaded with the first one.
 * @throws StorageError when the file is in use, damaged, or of a newer format.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const sqlite = await import("./sqlite-store.ts");
  return sqlite.openSqliteStore(options);
}
