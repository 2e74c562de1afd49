/** The past that a store itself still has, asked in the way of a history that is kept. */
import type { Revision } from "@coxswain/store";
import { identityOf } from "../changes/object-identity.ts";
import { type HistoryReader, HistoryUnknownError, type Version, type VersionRange } from "../contracts/history-reader.ts";
import type { RecordedStore } from "./recorder.ts";

/** Changes that are looked at in a turn. */
const changesAtOnce = 10_000;

/** Where no history is kept: what is in the store's window, and nothing from before a start. */
export function windowHistory(store: RecordedStore): HistoryReader {
  const changesIn = ({ after = 0, upTo = Number.POSITIVE_INFINITY }: Partial<VersionRange>): Version[] => {
    const from = Math.max(after, store.compacted) as Revision;
    if (from > store.revision) return [];
    return store
      .changes({ after: from, limit: Number.POSITIVE_INFINITY })
      .changes.filter(({ revision }) => revision <= upTo)
      .map(({ key, revision, at, entry, note }) => ({ key, revision, at, isDeletion: entry === undefined, note, value: entry?.value }));
  };
  const beginning = (): string => {
    const [first] = changesIn({});
    return `the history begins at resourceVersion ${store.compacted}${first === undefined ? "" : `, of ${new Date(first.at).toISOString()}`}`;
  };
  const requireKnown = (at: number): Revision => {
    if (at < store.compacted) throw new HistoryUnknownError(beginning());
    return at as Revision;
  };
  const valuesOf = async (key: string, { limit, ...range }: VersionRange): Promise<readonly Version[]> => {
    const versions = changesIn(range).filter((one) => one.key === key);
    const first = versions[0];
    const from = store.compacted;
    // What was there before all changes that are known is a version, too.
    const { entry } = (range.after ?? 0) < from ? await store.get(key, { at: from }) : { entry: undefined };
    const oldest: readonly Version[] =
      entry === undefined || first?.revision === entry.modified
        ? []
        : [{ key, revision: entry.modified, at: 0, isDeletion: false, note: undefined, value: entry.value }];
    return [...oldest, ...versions].reverse().slice(0, limit);
  };
  const withoutValue = ({ value: _, ...info }: Version) => info;
  return {
    async status() {
      const [first] = changesIn({});
      return { oldest: store.compacted, oldestAt: first?.at, recorded: store.revision, bytes: 0, gaps: [] };
    },
    async get(key, at) {
      const { entry } = await store.get(key, { at: requireKnown(at) });
      return entry === undefined ? undefined : { key, modified: entry.modified, value: entry.value };
    },
    async list(prefix, at, { after, limit }) {
      const { entries, remaining } = await store.list(prefix, { at: requireKnown(at), limit, ...(after === undefined ? {} : { after }) });
      return { entries: entries.map(({ key, modified, value }) => ({ key, modified, value })), remaining };
    },
    versionsOf: async (key, range) => (await valuesOf(key, range)).map(withoutValue),
    valuesOf,
    async changes(prefix, { limit, isNewestFirst, ...range }) {
      const found = changesIn(range).filter(({ key }) => key.startsWith(prefix));
      return (isNewestFirst === true ? found.reverse() : found).slice(0, Math.min(limit, changesAtOnce)).map(withoutValue);
    },
    async identitiesOf(keys) {
      const changes = changesIn({});
      return Promise.all(
        keys.map(async (key) => {
          const value = (await store.get(key)).entry?.value ?? changes.findLast((one) => one.key === key && one.value !== undefined)?.value;
          return value === undefined ? {} : identityOf(value);
        }),
      );
    },
    async revisionAt(time) {
      const changes = changesIn({});
      const last = changes.findLast(({ at }) => at <= time);
      if (last === undefined && changes.length > 0) throw new HistoryUnknownError(beginning());
      return last?.revision ?? store.revision;
    },
    timeOf: async (revision) => changesIn({ upTo: revision }).at(-1)?.at,
  };
}
