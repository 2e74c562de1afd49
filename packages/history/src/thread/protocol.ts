/** What is said between the thread that keeps history and those who record and read. Answers come in the order of the requests. */
import type { ChangeBatch } from "../changes/change-batch.ts";
import type { HistoryStatus, ObjectIdentity, VersionInfo, VersionRange } from "../contracts/history-reader.ts";
import type { StoredEntry, StoredList, StoredVersion } from "../file/history-file-reader.ts";
import type { HistoryBounds } from "../file/prune.ts";

/** What the thread can be asked, and what it answers. */
export interface Calls {
  /** Up to where everything is recorded; undefined while nothing is. */
  open(): number | undefined;
  record(batch: ChangeBatch, upTo: number): void;
  begin(entries: readonly ChangeBatch[], at: number, now: number): void;
  /** Whether there may be more to drop. */
  prune(bounds: HistoryBounds, now: number): boolean;
  status(): HistoryStatus;
  get(key: string, at: number): StoredEntry | undefined;
  list(prefix: string, at: number, page: { readonly after?: string; readonly limit: number }): StoredList;
  versionsOf(key: string, range: VersionRange): readonly VersionInfo[];
  valuesOf(key: string, range: VersionRange): readonly StoredVersion[];
  changes(prefix: string, range: VersionRange): readonly VersionInfo[];
  identitiesOf(keys: readonly string[]): readonly ObjectIdentity[];
  revisionAt(time: number): number;
  timeOf(revision: number): number | undefined;
  close(): void;
}

export type Method = keyof Calls;

export interface Request<M extends Method = Method> {
  readonly method: M;
  readonly args: Parameters<Calls[M]>;
}

export type Answer =
  | { readonly ok: true; readonly value: unknown }
  /** `isUnknown`: what was asked for is not known. */
  | { readonly ok: false; readonly isUnknown: boolean; readonly message: string };
