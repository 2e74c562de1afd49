import type { ResourceRegistry } from "@coxswain/api";
import type { HistoryReader } from "@coxswain/history";
import { type TimelinePage, unknownPath } from "@coxswain/machinery";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { HistoryServices } from "../history/history-services.ts";
import type { TimelineServices } from "../history/timeline.ts";
import type { DispatchOptions } from "../pipeline/dispatch.ts";

export interface ServeHistoryOptions extends Omit<HistoryServices, "history" | "registry">, Pick<TimelineServices, "authorize"> {
  readonly registry: ResourceRegistry;
  /** Undefined: what the store itself still has. */
  readonly history: HistoryReader | undefined;
}

export interface ServedHistory {
  readonly serve: DispatchOptions["serveHistory"];
  timeline(query: URLSearchParams, user: UserInfo): Promise<TimelinePage>;
}

/** Answers about the past; what that needs is loaded when the first is asked for. */
export function createServeHistory({ history, ...services }: ServeHistoryOptions): ServedHistory {
  let reader = history;
  const opened = async (): Promise<HistoryReader> => {
    reader ??= await windowOf(services.store);
    return reader;
  };
  return {
    async serve(exchange, report) {
      const { serveHistory } = await import("../history/serve-history.ts");
      return serveHistory({ ...services, history: await opened() }, exchange, report);
    },
    async timeline(query, user) {
      const { timelineOf } = await import("../history/timeline.ts");
      return timelineOf({ ...services, history: await opened() }, query, user);
    },
  };
}

/** @throws unknownPath() where the store is another's, who knows its past */
async function windowOf(store: HistoryServices["store"]): Promise<HistoryReader> {
  const { isRecordable, windowHistory } = await import("@coxswain/history");
  if (!isRecordable(store)) throw unknownPath();
  return windowHistory(store);
}
