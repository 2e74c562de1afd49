/** A history that is filled once, by what has happened elsewhere, and then read in this thread: compressed, as in a file. */
import type { RecordedChange } from "../changes/change-batch.ts";
import type {
  HistoryReader,
  HistoryStatus,
  ObjectIdentity,
  PastEntry,
  PastList,
  Version,
  VersionInfo,
  VersionRange,
} from "../contracts/history-reader.ts";
import { HistoryFile } from "./history-file.ts";
import { inMemory } from "./schema.ts";

/** Values are as they are given: none is encrypted. */
export class HistoryInMemory implements HistoryReader, Disposable {
  readonly #file = new HistoryFile(inMemory);

  /** The state at a revision, which comes first. @param at milliseconds since the epoch */
  begin(entries: Iterable<RecordedChange>, revision: number, at: number): void {
    this.#file.begin(entries, revision, at);
  }

  /** What happened since then, in the order of revisions, up to one. */
  record(changes: Iterable<RecordedChange>, upTo: number): void {
    this.#file.record(changes, upTo);
  }

  async status(): Promise<HistoryStatus> {
    return this.#file.status();
  }

  async get(key: string, at: number): Promise<PastEntry | undefined> {
    return this.#file.reader.get(key, at);
  }

  async list(prefix: string, at: number, page: { readonly after?: string; readonly limit: number }): Promise<PastList> {
    return this.#file.reader.list(prefix, at, page);
  }

  async versionsOf(key: string, range: VersionRange): Promise<readonly VersionInfo[]> {
    return this.#file.reader.versionsOf(key, range);
  }

  async valuesOf(key: string, range: VersionRange): Promise<readonly Version[]> {
    return this.#file.reader.valuesOf(key, range);
  }

  async changes(prefix: string, range: VersionRange): Promise<readonly VersionInfo[]> {
    return this.#file.reader.changes(prefix, range);
  }

  async identitiesOf(keys: readonly string[]): Promise<readonly ObjectIdentity[]> {
    return this.#file.reader.identitiesOf(keys);
  }

  async revisionAt(time: number): Promise<number> {
    return this.#file.reader.revisionAt(time);
  }

  async timeOf(revision: number): Promise<number | undefined> {
    return this.#file.reader.timeOf(revision);
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}
