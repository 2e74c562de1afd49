/**
 * What is in the queues, for people: columns that are commas apart too.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#debug-endpoints
 */
import type { FlowRequest } from "./flow-request.ts";
import type { PriorityLevel } from "./priority-level.ts";

export interface DumpOptions {
  readonly withDetails: boolean;
  /** When the monotonic clock began: milliseconds since the epoch of calendars. */
  readonly epoch: number;
}

type Row = readonly (string | number | boolean)[];

/** Undefined for what is not to be had. */
export function dump(name: string, levels: readonly PriorityLevel[], { withDetails, epoch }: DumpOptions): string | undefined {
  const sorted = [...levels].sort((a, b) => (a.name < b.name ? -1 : 1));
  switch (name) {
    case "dump_priority_levels":
      return table([levelColumns, ...sorted.map(levelRow)]);
    case "dump_queues":
      return table([queueColumns, ...sorted.flatMap(queueRows)]);
    case "dump_requests":
      return table([
        withDetails ? [...requestColumns, ...detailColumns] : requestColumns,
        ...sorted.flatMap((level) => requestRows(level, { withDetails, epoch })),
      ]);
    default:
      return undefined;
  }
}

const levelColumns: Row = [
  "PriorityLevelName",
  "ActiveQueues",
  "IsIdle",
  "IsQuiescing",
  "WaitingRequests",
  "ExecutingRequests",
  "DispatchedRequests",
  "RejectedRequests",
  "TimedoutRequests",
  "CancelledRequests",
];

const levelRow = ({ name, queues, isQuiescing }: PriorityLevel): Row => [
  name,
  queues.queues.filter(({ length }) => length > 0).length,
  queues.isIdle,
  isQuiescing,
  queues.waiting,
  queues.executing,
  queues.counts.dispatched,
  queues.counts.rejected,
  queues.counts.timedOut,
  queues.counts.cancelled,
];

const queueColumns: Row = [
  "PriorityLevelName",
  "Index",
  "PendingRequests",
  "ExecutingRequests",
  "SeatsInUse",
  "NextDispatchR",
  "InitialSeatsSum",
  "MaxSeatsSum",
  "TotalWorkSum",
];

const queueRows = ({ name, queues }: PriorityLevel): readonly Row[] =>
  queues.queues.map((queue, index) => [
    name,
    index,
    queue.length,
    queue.executing.size,
    queue.seatsInUse,
    seatSeconds(queue.nextDispatchR),
    queue.waiting.reduce((sum, { estimate }) => sum + estimate.initialSeats, 0),
    queue.seatsWaiting,
    seatSeconds(queue.workWaiting),
  ]);

const requestColumns: Row = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher",
  "ArriveTime",
  "InitialSeats",
  "FinalSeats",
  "AdditionalLatency",
  "StartTime",
];
const detailColumns: Row = ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"];

function requestRows({ name, queues }: PriorityLevel, { withDetails, epoch }: DumpOptions): readonly Row[] {
  const row = (queue: number, index: number, request: FlowRequest): Row => [
    name,
    ...requestCells({ queue, index, epoch }, request),
    ...(withDetails ? detailCells(request) : []),
  ];
  return [
    ...queues.queues.flatMap((queue, at) => [
      ...queue.waiting.map((request, index) => row(at, index, request)),
      ...Array.from(queue.executing, (request) => row(at, -1, request)),
    ]),
    ...Array.from(queues.queueless, (request) => row(-1, -1, request)),
  ];
}

interface Place {
  readonly queue: number;
  readonly index: number;
  readonly epoch: number;
}

function requestCells({ queue, index, epoch }: Place, { series, distinguisher, estimate, phase, arrivedAt, startedAt }: FlowRequest): Row {
  const begun = phase === "executing" ? timeOf(epoch + startedAt) : "0001-01-01T00:00:00Z";
  const { initialSeats, finalSeats, additionalLatencyMs } = estimate;
  const cells = [queue, index, distinguisher, timeOf(epoch + arrivedAt), initialSeats, finalSeats];
  return [series.flowSchema, ...cells, `${additionalLatencyMs / 1000}s`, begun];
}

function detailCells({ userName, info }: FlowRequest): Row {
  if (info.kind === "path") return [userName, info.verb, info.path, "", "", "", "", ""];
  const { verb, namespace, name, group, version, resource, subresource } = info;
  return [userName, verb, "", namespace, name, group === "" ? version : `${group}/${version}`, resource, subresource];
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

const seatSeconds = (seatMs: number): string => `${(seatMs / 1000).toFixed(8)}ss`;

const minWidth = 8;

/** Each column is as wide as its widest cell, and one more. */
function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? String(cell) : `${cell},`)));
  const widths = (cells[0] ?? []).map((_, i) => Math.max(minWidth, ...cells.map((row) => (row[i]?.length ?? 0) + 1)));
  return cells.map((row) => `${row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join("")}\n`).join("");
}
