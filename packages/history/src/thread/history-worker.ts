/** The thread that has the file: SQLite's calls block, here they may. */
import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { decodeChangeBatch } from "../changes/change-batch.ts";
import { HistoryUnknownError } from "../contracts/history-reader.ts";
import { HistoryFile } from "../file/history-file.ts";
import type { Answer, Calls, Method, Request } from "./protocol.ts";

/** Requests come first: what is written may be recorded a little later. */
const lowerBy = 5;
const lowest = 19;

if (parentPort !== null) {
  // On Linux, where it is of this thread alone.
  if (process.platform === "linux") setPriority(Math.min(lowest, getPriority() + lowerBy));
  serve(parentPort);
}

function serve(port: NonNullable<typeof parentPort>): void {
  const calls = callsOf(workerData.path);
  port.on("message", ({ method, args }: Request) => {
    port.postMessage(answerOf(() => (calls[method] as (...all: unknown[]) => unknown)(...args)));
    if (method === "close") port.close();
  });
}

function answerOf(ask: () => unknown): Answer {
  try {
    return { ok: true, value: ask() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, isUnknown: error instanceof HistoryUnknownError, message };
  }
}

/** Values leave in memory of their own: they are parts of whole chunks, which would go along. */
function callsOf(path: string): { readonly [M in Method]: Calls[M] } {
  const file = new HistoryFile(path);
  const { reader } = file;
  return {
    open: () => file.recorded,
    record: (batch, upTo) => file.record(decodeChangeBatch(batch), upTo),
    begin: (batches, at, now) =>
      file.begin(
        batches.flatMap((batch) => [...decodeChangeBatch(batch)]),
        at,
        now,
      ),
    prune: (bounds, now) => file.prune(bounds, now),
    status: () => file.status(),
    get: (key, at) => {
      const entry = reader.get(key, at);
      return entry === undefined ? undefined : { ...entry, value: entry.value.slice() };
    },
    list: (prefix, at, page) => {
      const { entries, remaining } = reader.list(prefix, at, page);
      return { entries: entries.map((entry) => ({ ...entry, value: entry.value.slice() })), remaining };
    },
    versionsOf: (key, range) => reader.versionsOf(key, range),
    valuesOf: (key, range) => reader.valuesOf(key, range).map((one) => ({ ...one, value: one.value?.slice() })),
    changes: (prefix, range) => reader.changes(prefix, range),
    identitiesOf: (keys) => reader.identitiesOf(keys),
    revisionAt: (time) => reader.revisionAt(time),
    timeOf: (revision) => reader.timeOf(revision),
    close: () => file[Symbol.dispose](),
  };
}
