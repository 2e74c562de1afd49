/** The changes of a range for ever: a stream that ends is begun again, with the next member, behind what was already seen. */
import { type Clock, sleep } from "@coxswain/machinery";
import { textOf } from "./etcd-errors.ts";
import { type Followed, type Following, type FollowParts, follow, HistoryGoneError } from "./follow.ts";

export interface FollowOptions<Own> extends FollowParts<Own> {
  readonly clock: Clock;
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
export function followAlways<Own>({ clock, reload, onProblem, ...parts }: FollowOptions<Own>): Watch {
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
        current = await follow({ ...parts, take }, stream.signal);
        await current.ended;
        if (stream.signal.aborted) continue;
      } catch (error) {
        if (closed.signal.aborted) return;
        report(error);
        if (error instanceof HistoryGoneError) await reload().catch((cause: unknown) => onProblem("failed to read etcd anew", cause));
      } finally {
        current = undefined;
        stream.abort();
      }
      parts.etcd.leaveMember();
      await sleep(clock, pauseMs, closed.signal).catch(() => undefined);
    }
  }

  function take(followed: Followed<Own>): void {
    reported = undefined;
    parts.take(followed);
  }

  function report(error: unknown): void {
    const text = textOf(error);
    const now = clock.monotonic();
    if (reported?.text === text && now - reported.at < reportMs) return;
    reported = { text, at: now };
    onProblem("failed to follow etcd", error);
  }
}
