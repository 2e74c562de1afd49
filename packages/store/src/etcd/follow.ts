/** The changes of a range, as etcd reports them: whole revisions, in order. */
import { GrpcError, grpcCodes } from "@coxswain/grpc";
import type { EtcdConnection } from "./etcd-connection.ts";
import { type Known, type NewsResponse, type RevisionEvents, watchMethod } from "./watch-responses.ts";

/** Changes of one revision or more, and how far the range is known with them. */
export interface Followed<Own> {
  readonly news: readonly RevisionEvents<Own>[];
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

export interface FollowParts<Own> {
  readonly etcd: EtcdConnection;
  readonly range: Range;
  /** Nothing of it is reported. */
  readonly known: Known<Own>;
  /** Called in the turn in which the changes come. */
  readonly take: (followed: Followed<Own>) => void;
}

/** One stream of a member. */
export interface Following {
  /** Resolves once the signal has ended it. Rejects with GrpcError and HistoryGoneError: then it is for the caller to begin again. */
  readonly ended: Promise<void>;
  /** Has etcd say how far the range is known, when there was no change: once all changes before were sent. */
  requestProgress(): void;
}

/** From behind what is known. @throws GrpcError */
export async function follow<Own>({ etcd, range, known, take }: FollowParts<Own>, signal: AbortSignal): Promise<Following> {
  const { send, each } = await etcd.exchange(watchMethod(known), signal);
  const ended = each(takerOf(take));
  send({
    createRequest: { key: range.start, rangeEnd: range.end, startRevision: known.after() + 1, progressNotify: true, fragment: true },
  });
  return { ended, requestProgress: () => send({ progressRequest: {} }) };
}

/** Puts the pieces of a response together. */
function takerOf<Own>(take: (followed: Followed<Own>) => void): (response: NewsResponse<Own>) => void {
  let pieces: RevisionEvents<Own>[] = [];
  return ({ revision, created, canceled, compactRevision, cancelReason, fragment, news }) => {
    if (canceled) {
      if (compactRevision > 0) throw new HistoryGoneError(compactRevision);
      throw new GrpcError(grpcCodes.Unavailable, cancelReason || "etcdserver: the watch was canceled");
    }
    if (created) return;
    if (!fragment && pieces.length === 0) {
      take({ news, revision });
      return;
    }
    for (const one of news) joinTo(pieces, one);
    if (fragment) return;
    take({ news: pieces, revision });
    pieces = [];
  };
}

/** What is of the same revision as the last one goes with it. */
function joinTo<Own>(pieces: RevisionEvents<Own>[], one: RevisionEvents<Own>): void {
  const last = pieces.at(-1);
  if (last?.revision !== one.revision) pieces.push(one);
  else pieces[pieces.length - 1] = { revision: one.revision, own: last.own ?? one.own, events: [...last.events, ...one.events] };
}
