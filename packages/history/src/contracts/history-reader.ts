/** What history consists of, and how it is asked. */
import type { WriteNote } from "@coxswain/store";

/** One change of one key, as it is kept. */
export interface VersionInfo {
  readonly key: string;
  readonly revision: number;
  /** When it was written; milliseconds since the epoch. */
  readonly at: number;
  readonly isDeletion: boolean;
  /** Who wrote, and what they had read; undefined where the store did not know. */
  readonly note: WriteNote | undefined;
}

/** A version with its value: undefined for a deletion. */
export interface Version extends VersionInfo {
  readonly value: Uint8Array | undefined;
}

/** An entry as it was. */
export interface PastEntry {
  readonly key: string;
  readonly modified: number;
  readonly value: Uint8Array;
}

/** A stretch of which it is not known what happened: states within it are not known either. */
export interface HistoryGap {
  /** The last revision of which all is known. */
  readonly after: number;
  /** The revision from which on all is known again. */
  readonly until: number;
}

/** What the file holds. */
export interface HistoryStatus {
  /** The oldest revision whose state can be read; undefined while nothing is recorded. */
  readonly oldest: number | undefined;
  /** When that was; milliseconds since the epoch. */
  readonly oldestAt: number | undefined;
  /** Up to where everything is recorded. */
  readonly recorded: number;
  /** Size of the file, what is free in it not counted. */
  readonly bytes: number;
  readonly gaps: readonly HistoryGap[];
}

/** What is asked for was before all that is kept, or in a gap. */
export class HistoryUnknownError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "HistoryUnknownError";
  }
}

/** Reads what was. Revisions are the store's. */
export interface HistoryReader {
  status(): Promise<HistoryStatus>;
  /** The entry of a key at a revision. @throws HistoryUnknownError */
  get(key: string, at: number): Promise<PastEntry | undefined>;
  /** Entries with a prefix at a revision, ordered by key, from behind `after`, at most `limit`. @throws HistoryUnknownError */
  list(prefix: string, at: number, page: { readonly after?: string; readonly limit: number }): Promise<PastList>;
  /** The versions of one key, newest first, without their values. */
  versionsOf(key: string, range: VersionRange): Promise<readonly VersionInfo[]>;
  /** The same with their values. @throws TransformError for a value that cannot be decrypted any more */
  valuesOf(key: string, range: VersionRange): Promise<readonly Version[]>;
  /** All changes of keys with a prefix, oldest first, without their values: those after a revision, up to another, at most `limit`. */
  changes(prefix: string, range: VersionRange): Promise<readonly VersionInfo[]>;
  /** Which objects came to be under these keys last, in the order of the keys; empty where nothing is known of one. */
  identitiesOf(keys: readonly string[]): Promise<readonly ObjectIdentity[]>;
  /** The newest revision that was written at a time or before; milliseconds since the epoch. @throws HistoryUnknownError */
  revisionAt(time: number): Promise<number>;
  /** When the newest version up to a revision was written, where that is known; milliseconds since the epoch. */
  timeOf(revision: number): Promise<number | undefined>;
}

/** A page of a list. */
export interface PastList {
  readonly entries: readonly PastEntry[];
  /** How many come behind the last one. */
  readonly remaining: number;
}

/** What relates objects to each other. */
export interface ObjectIdentity {
  readonly uid?: string;
  /** The uid of the object that controls it. */
  readonly owner?: string;
}

/** A part of what happened. */
export interface VersionRange {
  /** Versions after this revision. Default: all that are kept. */
  readonly after?: number;
  /** Versions up to this revision. Default: all. */
  readonly upTo?: number;
  /** Of changes: the newest of them, newest first. */
  readonly isNewestFirst?: boolean;
  readonly limit: number;
}
