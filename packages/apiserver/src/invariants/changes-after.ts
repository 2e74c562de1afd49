/** The changes after a revision, oldest first: from the store as long as it has them, then from its history. */
import type { HistoryReader, RecordedStore, VersionInfo } from "@coxswain/history";
import type { Entry, Revision, WriteNote } from "@coxswain/store";
import { entryOf } from "../history/past-store.ts";

/** One change of one key; its values are read when somebody looks at them. */
export interface KeptChange {
  readonly key: string;
  readonly revision: number;
  /** Milliseconds since the epoch; 0 where that is not known. */
  readonly at: number;
  readonly note: WriteNote | undefined;
  readonly entry: () => Promise<Entry | undefined>;
  readonly previous: () => Promise<Entry | undefined>;
}

export interface Changes {
  /** Up to which these are all. */
  readonly revision: number;
  readonly changes: readonly KeptChange[];
}

interface Sources {
  readonly store: RecordedStore;
  readonly history: HistoryReader;
}

/** @throws CompactedError where nobody knows them any more */
export async function changesAfter({ store, history }: Sources, after: number, limit: number): Promise<Changes> {
  if (after >= store.compacted) return fromStore(store, after, limit);
  const { oldest, gaps } = await history.status();
  const isKept = oldest !== undefined && after >= oldest && !gaps.some((gap) => after >= gap.after && after < gap.until);
  if (!isKept) return fromStore(store, after, limit);
  const upTo = Math.min(store.revision, ...gaps.filter((gap) => gap.after > after).map((gap) => gap.after));
  const { changes, revision } = whole(await history.changes("/", { after, upTo, limit }), limit, upTo);
  return { revision, changes: changes.map((change) => fromHistory(history, change)) };
}

function fromStore(store: RecordedStore, after: number, limit: number): Changes {
  const { revision, changes } = store.changes({ after: after as Revision, limit });
  return {
    revision,
    changes: changes.map(({ key, revision: at, at: time, note, entry, previous }) => ({
      ...{ key, revision: at, at: time, note },
      entry: async () => entry,
      previous: async () => previous,
    })),
  };
}

/** Changes of one revision are not parted: what may not be whole is read again with the next. */
function whole(
  found: readonly VersionInfo[],
  limit: number,
  newest: number,
): { readonly changes: readonly VersionInfo[]; readonly revision: number } {
  const last = found.at(-1)?.revision;
  if (last === undefined || found.length < limit) return { changes: found, revision: newest };
  const changes = found.filter(({ revision }) => revision !== last);
  return changes.length === 0 ? { changes: found, revision: last } : { changes, revision: last - 1 };
}

function fromHistory(history: HistoryReader, { key, revision, at, note }: VersionInfo): KeptChange {
  const entryAt = async (when: number): Promise<Entry | undefined> => {
    const found = await history.get(key, when);
    return found === undefined ? undefined : entryOf(found);
  };
  return { key, revision, at, note, entry: () => entryAt(revision), previous: () => entryAt(revision - 1) };
}
