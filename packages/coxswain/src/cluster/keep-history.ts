/** The history of a server, kept beside its state. */
import { join } from "node:path";
import type { Log } from "@coxswain/apiserver";
import type { History, HistoryReader } from "@coxswain/history";
import type { Clock } from "@coxswain/machinery";
import type { Store, ValueTransformer } from "@coxswain/store";
import type { HistorySettings } from "../options/history-options.ts";

interface HistoryPlace {
  /** Undefined: none is kept. */
  readonly settings: HistorySettings | undefined;
  /** Undefined: nothing is kept. */
  readonly dataDir: string | undefined;
  readonly store: Store;
  readonly transformer: ValueTransformer | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** A history that is opened once the server answers, or when it is asked. */
export interface KeptHistory extends AsyncDisposable {
  readonly reader: HistoryReader;
  /** Opens it where that has not been done. */
  start(): void;
}

/** Undefined where none is kept: what the store has is then all that is known. */
export function keepHistory({ settings, dataDir, store, clock, ...place }: HistoryPlace): KeptHistory | undefined {
  if (settings === undefined || dataDir === undefined) return undefined;
  let opening: Promise<History> | undefined;
  const open = async (): Promise<History> => {
    // Loaded once the server answers.
    const { isRecordable, openHistory } = await import("@coxswain/history");
    if (!isRecordable(store)) throw new Error("the past of this store is not its own");
    return openHistory({ ...place, ...settings, path: join(dataDir, "history.db"), store, clock });
  };
  const opened = (): Promise<History> => (opening ??= open());
  return {
    reader: {
      status: async () => (await opened()).status(),
      get: async (...args) => (await opened()).get(...args),
      list: async (...args) => (await opened()).list(...args),
      versionsOf: async (...args) => (await opened()).versionsOf(...args),
      valuesOf: async (...args) => (await opened()).valuesOf(...args),
      changes: async (...args) => (await opened()).changes(...args),
      identitiesOf: async (...args) => (await opened()).identitiesOf(...args),
      revisionAt: async (...args) => (await opened()).revisionAt(...args),
      timeOf: async (...args) => (await opened()).timeOf(...args),
    },
    start: () =>
      void opened().catch((error: unknown) => place.log.error({ error }, "failed to open the history: nothing of the past is kept")),
    async [Symbol.asyncDispose]() {
      const history = await opening?.catch(() => undefined);
      await history?.[Symbol.asyncDispose]();
    },
  };
}
