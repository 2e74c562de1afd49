/** The changes of a range for ever: a stream that ends is begun again, with the next member, behind what was already seen. */
import { type Clock, sleep } from "@coxswain/machinery";
import type { EtcdConnection } from "./etcd-connection.ts";
import { textOf } from "./etcd-errors.ts";
import { type Followed, type Following, follow, HistoryGoneError, type Range } from "./follow.ts";

export interface FollowOptions {
  readonly etcd: EtcdConnection;
  readonly clock: Clock;
  readonly range: Range;
  /** The revision up to which everything is known. */
  readonly after: () => number;
  readonly take: (followed: Followed) => void;
  /** When the changes since then are gone. */
  readonly reload: () => Promise<void>;
  readonly onProblem: (message: string, error: unknown) => void;
}

export interface Watch extends Disposable {
  /** Has etcd say how far the range is known. */
  requestProgress(): void;
  /** Begins again from what is known now. */
  restart(): void;
  readonly ended: Promise<void>;
}

/** Between attempts. */
const pauseMs = 100;
/** Between reports of the same problem, which each attempt may have. */
const reportMs = 10_000;

/** Until it is disposed of. */
export function followAlways({ etcd, clock, range, after, take, reload, onProblem }: FollowOptions): Watch {
  const closed = new AbortController();
  let current: Following | undefined;
  let stream = new AbortController();
  let reported: { readonly text: string; readonly at: number } | undefined;
  return {
    requestProgress: () => current?.requestProgress(),
    restart: () => stream.abort(),
    ended: run(),
    [Symbol.dispose]() {
      closed.abort();
      stream.abort();
    },
  };

  async function run(): Promise<void> {
    while (!closed.signal.aborted) {
      stream = new AbortController();
      try {
        current = await follow(etcd, range, after(), stream.signal);
        for await (const followed of current.changes) {
          reported = undefined;
          take(followed);
        }
        if (stream.signal.aborted) continue;
      } catch (error) {
        if (closed.signal.aborted) return;
        report(error);
        if (error instanceof HistoryGoneError) await reload().catch((cause: unknown) => onProblem("failed to read etcd anew", cause));
      } finally {
        current = undefined;
        stream.abort();
      }
      etcd.leaveMember();
      await sleep(clock, pauseMs, closed.signal).catch(() => undefined);
    }
  }

  function report(error: unknown): void {
    const text = textOf(error);
    const now = clock.monotonic();
    if (reported?.text === text && now - reported.at < reportMs) return;
    reported = { text, at: now };
    onProblem("failed to follow etcd", error);
  }
}
