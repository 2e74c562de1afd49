/** The state at the end of a recording, as a server reads a store. Nothing happens in it any more, and nothing can be written. */
import { failure } from "@coxswain/machinery";
import {
  CompactedError,
  type Entry,
  FutureRevisionError,
  type KeyChange,
  type ListResult,
  type Revision,
  type Store,
  type WatchBatch,
  type WriteResult,
} from "@coxswain/store";
import type { LoadedRecording } from "./load-recording.ts";

export function recordedStore({ history, revision: last }: Pick<LoadedRecording, "history" | "revision">): Store {
  const revision = last as Revision;
  const check = (at: Revision): void => {
    if (at < revision) throw new CompactedError(at, revision);
    if (at > revision) throw new FutureRevisionError(at, revision);
  };
  return {
    revision,
    compacted: revision,
    writeFailure: undefined,
    async get(key, { at = revision } = {}) {
      check(at);
      const found = await history.get(key, revision);
      return { revision, entry: found === undefined ? undefined : entryOf(found) };
    },
    async list(prefix, { at = revision, after, limit = Number.MAX_SAFE_INTEGER } = {}): Promise<ListResult> {
      check(at);
      const { entries, remaining } = await history.list(prefix, revision, { limit, ...(after === undefined ? {} : { after }) });
      return { revision, entries: entries.map(entryOf), remaining };
    },
    async write(): Promise<WriteResult> {
      throw failure(405, "MethodNotAllowed", "a recording cannot be changed");
    },
    events: () => ({ revision, events: [] }),
    async *watch(_, { signal }): AsyncGenerator<WatchBatch, void, undefined> {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    },
    subscribe: () => ({ [Symbol.dispose]: () => undefined }),
    history: async (): Promise<readonly KeyChange[]> => [],
    compact: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const entryOf = ({ key, value, modified }: { readonly key: string; readonly value: Uint8Array; readonly modified: number }): Entry => ({
  ...{ key, value, created: modified as Revision, modified: modified as Revision },
  derived: undefined,
});
