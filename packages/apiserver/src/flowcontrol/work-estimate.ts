/**
 * How many seats a request takes.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#seats-occupied-by-a-request
 */
import type { FlowExchange } from "../contracts/flow-control.ts";
import type { RequestInfo, ResourceRequest } from "../contracts/request-info.ts";
import type { WorkEstimate } from "./flow-request.ts";
import type { ObjectStats } from "./object-stats.ts";

/** What lists and watches cost is known from elsewhere. */
export interface WorkSources {
  readonly stats: (info: ResourceRequest, now: number) => ObjectStats | undefined;
  readonly watches: (info: ResourceRequest) => number;
}

export interface WorkLimits {
  /** What one request may have of its level; 0 where that has no queues. */
  readonly maxSeats: number;
  readonly sources: WorkSources;
}

/** Whose thread time is about that of an ordinary request. */
const bytesPerSeat = 100_000;
const maxListSeats = 100;
const maxMutatingSeats = 10;
const watchesPerSeat = 10;
const eventMs = 5;

const one: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalLatencyMs: 0 };

export function estimateWork(info: RequestInfo, exchange: Pick<FlowExchange, "query" | "startedAt">, work: WorkLimits): WorkEstimate {
  const { maxSeats, sources } = work;
  const { query, startedAt } = exchange;
  if (info.kind === "path") return one;
  switch (info.verb) {
    case "list":
    case "watch":
      return info.verb === "watch" && !hasInitialEvents(query) ? one : listWork(info, query, maxSeats, sources.stats(info, startedAt));
    case "create":
    case "update":
    case "patch":
    case "delete":
      return mutatingWork(info, maxSeats, sources);
    default:
      return one;
  }
}

function hasInitialEvents(query: URLSearchParams): boolean {
  const from = query.get("resourceVersion") ?? "";
  return query.get("sendInitialEvents") === "true" || from === "" || from === "0";
}

function listWork({ name }: ResourceRequest, query: URLSearchParams, maxSeats: number, stats: ObjectStats | undefined): WorkEstimate {
  if (name !== "" || stats === undefined) return one;
  const limit = Number(query.get("limit") ?? 0);
  const sent = limit > 0 && limit < stats.count ? limit : stats.count;
  // Whoever selects looks at more than what is sent.
  const selects = query.has("labelSelector") || query.has("fieldSelector");
  const objects = selects ? Math.max(sent, stats.count / 2) : sent;
  const seats = Math.ceil((objects * stats.averageBytes) / bytesPerSeat);
  const most = maxSeats === 0 ? maxListSeats : Math.min(maxSeats, maxListSeats);
  return seats <= 1 ? one : { initialSeats: Math.min(seats, most), finalSeats: 0, additionalLatencyMs: 0 };
}

/** Each watcher is sent an event: work of so many seats, made narrower and longer where the level has not so many. */
function mutatingWork(info: ResourceRequest, maxSeats: number, { watches }: WorkSources): WorkEstimate {
  const count = watches(info);
  if (count < watchesPerSeat || (info.resource === "serviceaccounts" && info.subresource === "token")) return one;
  const wanted = Math.ceil(count / watchesPerSeat);
  const finalSeats = Math.min(wanted, maxSeats === 0 ? maxMutatingSeats : Math.min(maxSeats, maxMutatingSeats));
  return { initialSeats: 1, finalSeats, additionalLatencyMs: (wanted * eventMs) / finalSeats };
}
