/** The file as a whole, for the thread that has it. */
import type { DatabaseSync } from "node:sqlite";
import type { RecordedChange } from "../changes/change-batch.ts";
import type { HistoryStatus } from "../contracts/history-reader.ts";
import { ChunkStore } from "./chunk-store.ts";
import { HistoryFileReader } from "./history-file-reader.ts";
import { HistoryWriter, metaOf } from "./history-writer.ts";
import { type HistoryBounds, pruneSome, usedBytes } from "./prune.ts";
import { openHistoryDatabase } from "./schema.ts";

export class HistoryFile implements Disposable {
  readonly reader: HistoryFileReader;
  readonly #db: DatabaseSync;
  readonly #chunks: ChunkStore;
  readonly #writer: HistoryWriter;

  /** @throws HistoryFileError */
  constructor(path: string) {
    this.#db = openHistoryDatabase(path);
    this.#chunks = new ChunkStore(this.#db);
    this.reader = new HistoryFileReader(this.#db, this.#chunks);
    this.#writer = new HistoryWriter(this.#db, this.#chunks);
  }

  get recorded(): number | undefined {
    return this.#writer.recorded;
  }

  record(changes: Iterable<RecordedChange>, upTo: number): void {
    this.#writer.record(changes, upTo);
  }

  begin(entries: Iterable<RecordedChange>, at: number, now: number): void {
    this.#writer.begin(entries, at, now);
  }

  /** @returns whether there may be more to drop */
  prune(bounds: HistoryBounds, now: number): boolean {
    const { reader } = this;
    try {
      return pruneSome({ db: this.#db, chunks: this.#chunks, reader }, bounds, now);
    } finally {
      // Keys that are gone get other numbers when they come back.
      this.#writer.forgetKnown();
    }
  }

  status(): HistoryStatus {
    const oldest = metaOf(this.#db, "oldest");
    return {
      oldest,
      oldestAt: oldest === undefined ? undefined : this.reader.timeOf(oldest),
      recorded: this.recorded ?? 0,
      bytes: usedBytes(this.#db),
      gaps: this.reader.gaps,
    };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
