/** History as a server has it: recorded as long as it is open, and readable up to what the store has now. */
import type { Clock } from "@coxswain/machinery";
import { identityTransformer, type ValueTransformer } from "@coxswain/store";
import type { HistoryReader, PastEntry } from "../contracts/history-reader.ts";
import type { StoredEntry } from "../file/history-file-reader.ts";
import type { HistoryBounds } from "../file/prune.ts";
import { HistoryThread } from "../thread/history-thread.ts";
import { type RecordedStore, Recorder } from "./recorder.ts";

/** Where history is kept, of what, and how much of it. */
export interface HistoryOptions extends HistoryBounds {
  /** The file; made when it is not there, in a directory that is. */
  readonly path: string;
  readonly store: RecordedStore;
  readonly clock: Clock;
  /** What values are encrypted with at rest: such a value is kept as encrypted as it is stored. */
  readonly transformer?: ValueTransformer | undefined;
  readonly log: { warn(fields: object, message: string): void };
}

/** A history that is being recorded. Disposing of it records what is left, and closes the file. */
export interface History extends HistoryReader, AsyncDisposable {}

/**
 * Records every version of every object from now on, and those from before that the store still has.
 * @throws HistoryFileError when the file is no history, of a newer format, or in use
 */
export async function openHistory(options: HistoryOptions): Promise<History> {
  const { path, store, clock, transformer = identityTransformer, log, maxAgeMs, maxBytes } = options;
  const thread = new HistoryThread(path);
  await thread.call("open");
  const recorder = new Recorder({ store, thread, clock, bounds: { maxAgeMs, maxBytes }, transformer, log });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    await recorder.caughtUp();
    return question();
  };
  return {
    status: () => ask(() => thread.call("status")),
    async get(key, at) {
      const entry = await ask(() => thread.call("get", key, at));
      return entry === undefined ? undefined : opened(entry, transformer);
    },
    async list(prefix, at, page) {
      const { entries, remaining } = await ask(() => thread.call("list", prefix, at, page));
      return { entries: await Promise.all(entries.map((entry) => opened(entry, transformer))), remaining };
    },
    versionsOf: (key, range) => ask(() => thread.call("versionsOf", key, range)),
    async valuesOf(key, range) {
      const versions = await ask(() => thread.call("valuesOf", key, range));
      return Promise.all(
        versions.map(async ({ isSealed, value, ...info }) => ({
          ...info,
          value:
            value === undefined || !isSealed ? value : (await opened({ key, modified: info.revision, value, isSealed }, transformer)).value,
        })),
      );
    },
    changes: (prefix, range) => ask(() => thread.call("changes", prefix, range)),
    identitiesOf: (keys) => ask(() => thread.call("identitiesOf", keys)),
    revisionAt: (time) => ask(() => thread.call("revisionAt", time)),
    timeOf: (revision) => ask(() => thread.call("timeOf", revision)),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await thread[Symbol.asyncDispose]();
    },
  };
}

/** @throws TransformError for what cannot be decrypted any more */
async function opened({ key, modified, value, isSealed }: StoredEntry, transformer: ValueTransformer): Promise<PastEntry> {
  if (!isSealed) return { key, modified, value };
  await transformer.prepare?.(key, value);
  return { key, modified, value: transformer.fromStorage(key, value).value };
}
