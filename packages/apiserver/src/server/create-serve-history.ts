import type { HistoryReader } from "@coxswain/history";
import { unknownPath } from "@coxswain/machinery";
import type { HistoryServices } from "../history/history-services.ts";
import type { DispatchOptions } from "../pipeline/dispatch.ts";

export interface ServeHistoryOptions extends Omit<HistoryServices, "history"> {
  /** Undefined: what the store itself still has. */
  readonly history: HistoryReader | undefined;
}

/** Answers about the past; what that needs is loaded when the first is asked for. */
export function createServeHistory({ history, ...services }: ServeHistoryOptions): DispatchOptions["serveHistory"] {
  let reader = history;
  return async (exchange, report) => {
    const { serveHistory } = await import("../history/serve-history.ts");
    reader ??= await windowOf(services.store);
    return serveHistory({ ...services, history: reader }, exchange, report);
  };
}

/** @throws unknownPath() where the store is another's, who knows its past */
async function windowOf(store: HistoryServices["store"]): Promise<HistoryReader> {
  const { isRecordable, windowHistory } = await import("@coxswain/history");
  if (!isRecordable(store)) throw unknownPath();
  return windowHistory(store);
}
