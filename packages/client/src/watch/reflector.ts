/** A watch that goes on: what client-go's reflector does between the server and its store. */
import {
  isExpired,
  isForbidden,
  isGone,
  isServiceUnavailable,
  isTooManyRequests,
  isUnauthorized,
  type KubeObject,
  StatusError,
  sleep,
} from "@coxswain/machinery";
import type { WatchEvent, WatchOptions } from "../contracts/watch-event.ts";
import { LinkedAbort } from "../rest/linked-abort.ts";
import type { ResourceScope } from "../rest/path.ts";
import type { Requests } from "../rest/requests.ts";
import { Backoff } from "../retry/backoff.ts";
import { connect, type WatchState } from "./connection.ts";

/** client-go's. */
const reflectorBackoff = { baseDelayMs: 800, factor: 2, jitter: 1, capMs: 30_000, resetAfterMs: 120_000 };
/** A watch that the server ends sooner than this without an event counts as failed. */
const minLifetimeMs = 1_000;
/** However it ends, no sooner than this after its beginning comes the next. */
const minReconnectIntervalMs = 200;
/** A version that the server refuses so often is given up, and everything is relisted. */
const maxRejections = 3;

/** Each iteration is a watch of its own. */
export function watchResource<T extends KubeObject>(
  requests: Requests,
  scope: ResourceScope,
  opts: WatchOptions,
): AsyncIterable<WatchEvent<T>> {
  return { [Symbol.asyncIterator]: () => new Reflector<T>(requests, scope, opts) };
}

/** Ends what is under way when it is left, also while a call of `next` waits. */
class Reflector<T extends KubeObject> implements AsyncIterator<WatchEvent<T>> {
  readonly #stop = new AbortController();
  readonly #events: AsyncGenerator<WatchEvent<T>>;

  constructor(requests: Requests, scope: ResourceScope, opts: WatchOptions) {
    this.#events = listAndWatch<T>(requests, scope, opts, this.#stop.signal);
  }

  next(): Promise<IteratorResult<WatchEvent<T>>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<WatchEvent<T>>> {
    this.#stop.abort();
    return this.#events.return(undefined);
  }
}

async function* listAndWatch<T extends KubeObject>(
  requests: Requests,
  scope: ResourceScope,
  opts: WatchOptions,
  stop: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  const { clock, random, closing } = requests;
  using lifetime = new LinkedAbort(opts.signal, closing, stop);
  const { signal } = lifetime;
  const watched: WatchState = { requests, scope, opts, signal, streamsLists: true, sendsBookmarks: false };
  const backoff = new Backoff(reflectorBackoff, clock, random);
  // An empty version would begin anywhere, and end in events that cannot be distinguished from others.
  let version = opts.resourceVersion || undefined;
  let refusals = 0;
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    let delayMs: number;
    try {
      let events = 0;
      for await (const event of connect<T>(watched, version)) {
        if (signal.aborted) return;
        events++;
        refusals = 0;
        version = versionOf(event) ?? version;
        yield event;
      }
      const livedMs = clock.monotonic() - startedAt;
      if (events === 0 && livedMs < minLifetimeMs) throw new Error("the server ended the watch at once, without an event");
      delayMs = Math.max(0, minReconnectIntervalMs - livedMs);
    } catch (error) {
      if (signal.aborted) return;
      if (isRejection(error)) refusals++;
      if (isExpired(error) || isGone(error) || refusals >= maxRejections) version = undefined;
      delayMs = Math.max(backoff.next(), retryAfterMs(error));
      opts.onInterrupted?.({ error, afterMs: delayMs });
    }
    if (delayMs > 0) await sleep(clock, delayMs, signal).catch(() => undefined);
  }
}

function versionOf(event: WatchEvent<KubeObject>): string | undefined {
  return event.type === "LISTED" || event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata?.resourceVersion;
}

/** Answers that may be due to the version asked for; a server that is busy, or does not let the client in, says nothing of it. */
const isRejection = (error: unknown): boolean =>
  error instanceof StatusError && !(isTooManyRequests(error) || isUnauthorized(error) || isForbidden(error) || isServiceUnavailable(error));

const retryAfterMs = (error: unknown): number =>
  error instanceof StatusError ? Math.min(60, error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
