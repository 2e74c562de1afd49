/** The changes of a range, as etcd reports them: whole revisions, in order. */
import { GrpcError, grpcCodes } from "@coxswain/grpc";
import type { EtcdConnection } from "./etcd-connection.ts";
import type { WatchEvent, WatchResponse } from "./protocol.ts";

/** Changes of one revision or more, and how far the range is known with them. */
export interface Followed {
  readonly events: readonly WatchEvent[];
  readonly revision: number;
}

/** The changes after a revision are no longer kept. */
export class HistoryGoneError extends Error {
  /** From here on they are. */
  readonly compacted: number;
  constructor(compacted: number) {
    super(`etcd keeps no changes before revision ${compacted}`);
    this.name = "HistoryGoneError";
    this.compacted = compacted;
  }
}

export interface Range {
  readonly start: Buffer;
  readonly end: Buffer;
}

/** One stream of a member. */
export interface Following {
  readonly changes: AsyncGenerator<Followed, void, undefined>;
  /** Has etcd say how far the range is known, when there was no change: once all changes before were sent. */
  requestProgress(): void;
}

/** Ends with the signal. Throws GrpcError and HistoryGoneError, also from `changes`: then it is for the caller to begin again. */
export async function follow(etcd: EtcdConnection, range: Range, after: number, signal: AbortSignal): Promise<Following> {
  const { send, responses } = await etcd.exchange("Watch", signal);
  send({
    createRequest: { key: range.start, rangeEnd: range.end, startRevision: after + 1, progressNotify: true, fragment: true },
  });
  return {
    changes: changesOf(responses as AsyncGenerator<WatchResponse, void, undefined>),
    requestProgress: () => send({ progressRequest: {} }),
  };
}

async function* changesOf(responses: AsyncGenerator<WatchResponse, void, undefined>): AsyncGenerator<Followed, void, undefined> {
  let pieces: WatchEvent[] = [];
  for await (const { header, created, canceled, compactRevision, cancelReason, fragment, events } of responses) {
    if (canceled) {
      if (compactRevision > 0) throw new HistoryGoneError(compactRevision);
      throw new GrpcError(grpcCodes.Unavailable, cancelReason || "etcdserver: the watch was canceled");
    }
    if (created) continue;
    if (fragment) {
      pieces.push(...events);
      continue;
    }
    const all = pieces.length === 0 ? events : [...pieces, ...events];
    pieces = [];
    const last = all.at(-1);
    // With events the header may already be ahead of them.
    yield { events: all, revision: last === undefined ? header.revision : last.kv.modRevision };
  }
}
