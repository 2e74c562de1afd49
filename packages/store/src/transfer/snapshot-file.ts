/**
 * A snapshot: a data file (see data-file.ts) with the state of one revision, and a table `snapshot` that says how much that is.
 * docs/reference/snapshot-file.md describes it for other programs.
 */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { hasTable } from "../sqlite/data-file.ts";
import { damaged } from "../sqlite/failures.ts";
import { StorageError } from "../storage/store.ts";
import { asStorageError, openDataFileSource } from "./data-file-source.ts";
import { createDataFileTarget, summaryOf } from "./data-file-target.ts";
import type { StateSource, StateSummary, StateTarget } from "./state.ts";
import { checkSameState } from "./transfer-state.ts";

/** What a snapshot says of itself. */
export interface SnapshotFacts extends StateSummary {
  readonly revision: number;
  /** What keys began with where it was taken: what is encrypted may be bound to that. */
  readonly prefix: string;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
}

/** Where a snapshot is written, and of what. */
export interface SnapshotTargetOptions {
  readonly path: string;
  readonly revision: number;
  readonly prefix: string;
  readonly now: number;
}

/** It is there when it is whole. @throws StorageError where there is a file already */
export function createSnapshot({ path, prefix, now, revision }: SnapshotTargetOptions): StateTarget {
  if (existsSync(path)) throw new StorageError(`there is a file ${path} already`);
  return createDataFileTarget({
    path,
    prefix,
    now,
    revision,
    complete: (db, summary) => writeFacts(db, summary, { prefix, takenAt: now }),
  });
}

/** A snapshot whose contents are what it says. It is read whole for that. @throws StorageError */
export async function openSnapshot(path: string): Promise<{ readonly source: StateSource; readonly facts: SnapshotFacts }> {
  if (!existsSync(path)) throw new StorageError(`there is no ${path}`);
  const { prefix, takenAt, summary } = readFacts(path);
  const source = openDataFileSource(path, { prefix, isFinished: true });
  try {
    checkSameState(await summaryOf(source), summary, path);
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
  return { source, facts: { revision: source.revision, prefix, takenAt, ...summary } };
}

function writeFacts(
  db: DatabaseSync,
  { entries, bytes, digest }: StateSummary,
  { prefix, takenAt }: Pick<SnapshotFacts, "prefix" | "takenAt">,
): void {
  db.exec(
    "CREATE TABLE snapshot (entries INTEGER NOT NULL, bytes INTEGER NOT NULL, digest TEXT NOT NULL, prefix TEXT NOT NULL, taken_at INTEGER NOT NULL) STRICT",
  );
  db.prepare("INSERT INTO snapshot VALUES (?, ?, ?, ?, ?)").run(entries, bytes, digest, prefix, takenAt);
}

function readFacts(path: string) {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    if (!hasTable(db, "snapshot")) throw new StorageError(`${path} is not a snapshot`);
    const { entries, bytes, digest, prefix, taken_at: takenAt } = db.prepare("SELECT * FROM snapshot").get() ?? {};
    if (typeof entries !== "number" || typeof bytes !== "number" || typeof digest !== "string")
      throw damaged(path, "it does not say what is in it");
    if (typeof prefix !== "string" || typeof takenAt !== "number") throw damaged(path, "it does not say where it was taken");
    return { prefix, takenAt, summary: { entries, bytes, digest } };
  } catch (error) {
    throw asStorageError(path, error);
  }
}
