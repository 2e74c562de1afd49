/** Short ways to write histories in the tables of tests. Operations are numbered in the order in which they are made. */
import type { Failed, Filter, Get, History, List, Operation, ReadAt, Version, Watch, WatchItem, Write } from "./history.ts";

/** When it was called and when it returned. */
type Times = readonly [call: number, returned: number];
type Outcome = number | "unknown" | Failed["reason"];
type Item = readonly [key: string, value: string, revision: number];

const outcomeOf = (outcome: Outcome): Write["outcome"] => {
  if (outcome === "unknown") return { kind: "unknown" };
  return typeof outcome === "number" ? { kind: "ok", revision: outcome } : { kind: "failed", reason: outcome };
};

const begin = ([call, returned]: Times, client = "client-1", server = "server-1") =>
  ({ type: "operation", id: call, client, server, call, return: returned }) as const;

const version = ([key, value, revision]: Item): Version => ({ key, value, revision });

export const create = (times: Times, key: string, value: string, outcome: Outcome): Write => ({
  ...begin(times),
  do: "create",
  key,
  value,
  outcome: outcomeOf(outcome),
});

export const update = (times: Times, key: string, value: string, { from, to }: { from?: number; to: Outcome }): Write => ({
  ...begin(times),
  do: "update",
  key,
  value,
  ...(from === undefined ? {} : { expectedRevision: from }),
  outcome: outcomeOf(to),
});

export const patch = (times: Times, key: string, token: string, outcome: Outcome): Write => ({
  ...begin(times),
  do: "patch",
  key,
  token,
  outcome: outcomeOf(outcome),
});

export const apply = (times: Times, key: string, token: string, outcome: Outcome): Write => ({
  ...begin(times),
  do: "apply",
  key,
  token,
  outcome: outcomeOf(outcome),
});

/** "ok": without a revision. */
export const remove = (times: Times, key: string, outcome: Outcome | "ok", from?: number): Write => ({
  ...begin(times),
  do: "delete",
  key,
  ...(from === undefined ? {} : { expectedRevision: from }),
  outcome: outcome === "ok" ? { kind: "ok" } : outcomeOf(outcome),
});

/** Without a version: not found. */
export const get = (times: Times, key: string, seen?: readonly [value: string, revision: number], at: ReadAt = ""): Get => ({
  ...begin(times, "client-2", "server-2"),
  do: "get",
  key,
  at,
  outcome: seen === undefined ? { kind: "failed", reason: "NotFound" } : { kind: "ok", item: version([key, ...seen]) },
});

export const list = (times: Times, revision: number, items: readonly Item[], at: ReadAt = ""): List => ({
  ...begin(times, "client-2", "server-2"),
  do: "list",
  at,
  outcome: { kind: "ok", revision, items: items.map(version) },
});

/** At `at`, and no later. */
export const exactList = (times: Times, revision: number, items: readonly Item[], at: number): List => ({
  ...list(times, revision, items, at),
  isExact: true,
});

/** Each item comes at a moment after 100. */
export const watch = (from: number, items: readonly WatchItem[], filter: Filter = {}): Watch => ({
  type: "watch",
  id: 1,
  client: "watcher",
  server: "server-3",
  start: 100,
  from,
  filter,
  items,
});

type EventType = Extract<WatchItem, { readonly kind: "event" }>["event"];

export const event = (type: EventType, item: Item, previous?: Item): WatchItem => ({
  kind: "event",
  time: 100 + item[2],
  event: type,
  object: version(item),
  ...(previous === undefined ? {} : { previous: version(previous) }),
});

export const bookmark = (revision: number, time = 100 + revision): WatchItem => ({ kind: "bookmark", time, revision });

export const finished: WatchItem = { kind: "end", time: 1000, by: "finished" };

export const historyOf = (operations: readonly Operation[], watches: readonly Watch[] = []): History => ({ operations, watches });
