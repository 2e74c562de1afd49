/** The state at a revision, as what serves reads asks a store. */
import type { HistoryReader } from "@coxswain/history";
import type { Entry, Revision, Store } from "@coxswain/store";
import type { ReadableStore } from "../storage/revision.ts";

/** From the store as long as it has that state, then from its history. */
export function pastStore(store: Pick<Store, "compacted" | "get" | "list">, history: HistoryReader, revision: Revision): ReadableStore {
  const isThere = (): boolean => revision >= store.compacted;
  return {
    revision,
    async get(key) {
      if (isThere()) return store.get(key, { at: revision });
      const found = await history.get(key, revision);
      return { revision, entry: found === undefined ? undefined : entryOf(found) };
    },
    async list(prefix, { after, limit } = {}) {
      const page = { ...(after === undefined ? {} : { after }), limit: limit ?? Number.MAX_SAFE_INTEGER };
      if (isThere()) return store.list(prefix, { ...page, at: revision });
      const { entries, remaining } = await history.list(prefix, revision, page);
      return { revision, entries: entries.map(entryOf), remaining };
    },
  };
}

/** When the key was made is not kept: nobody who reads asks. */
export const entryOf = ({
  key,
  modified,
  value,
}: {
  readonly key: string;
  readonly modified: number;
  readonly value: Uint8Array;
}): Entry => ({
  key,
  value,
  created: modified as Revision,
  modified: modified as Revision,
  derived: undefined,
});
