/** One connection of a watch: the state to begin with, where it is asked for, and the events after it. */
import { type KubeObject, StatusError } from "@coxswain/machinery";
import type { WatchEvent, WatchOptions } from "../contracts/watch-event.ts";
import { listAll, metadataOf } from "../rest/pages.ts";
import { collectionPath, type Query, type ResourceScope, withQuery } from "../rest/path.ts";
import type { Requests } from "../rest/requests.ts";
import { Deadline } from "./deadline.ts";
import { type Frame, parseFrame } from "./frame.ts";
import { IdleTimeout } from "./idle-timeout.ts";
import { linesOf } from "./lines.ts";

export interface WatchState {
  readonly requests: Requests;
  readonly scope: ResourceScope;
  readonly opts: WatchOptions;
  readonly signal: AbortSignal;
  /** Whether the server is believed to send the state to begin with as events. */
  streamsLists: boolean;
  /** Whether it is believed to send bookmarks. */
  sendsBookmarks: boolean;
}

/** The server ends a watch after a time between this and twice this, so that clients spread over several servers again. */
const minWatchTimeoutSeconds = 300;
/** How long a watch may outlive that before it counts as dead. */
const watchGraceMs = 30_000;
/** Servers give up a list after one minute; while it comes it may take its time. */
const maxListIdleMs = 70_000;
/** A server that streams the state begins at once, and sends nothing else meanwhile. */
const maxStreamIdleMs = 30_000;
/** Where bookmarks come, they come about once a minute: two may be missed, and half a minute. */
const maxBookmarkIdleMs = 150_000;

/** Goes on after `version`, or begins with LISTED. @throws what broke it off; ends when the server ended it in order */
export async function* connect<T extends KubeObject>(watched: WatchState, version: string | undefined): AsyncGenerator<WatchEvent<T>> {
  if (version !== undefined) return yield* eventsAfter<T>(watched, version);
  if (watched.streamsLists) {
    try {
      return yield* listedAsEvents<T>(watched);
    } catch (error) {
      if (!isRejection(error)) throw error;
      watched.streamsLists = false;
    }
  }
  const listed = await list<T>(watched);
  yield { type: "LISTED", ...listed };
  yield* eventsAfter<T>(watched, listed.resourceVersion);
}

/**
 * What servers answer that do not know `sendInitialEvents`, and, with 500, those whose etcd cannot do what it needs.
 * Whoever may not watch is not helped by a list.
 */
const isRejection = (error: unknown): boolean => error instanceof StatusError && [400, 405, 406, 415, 422, 500].includes(error.code);

function list<T extends KubeObject>({ requests, scope, opts, signal }: WatchState) {
  const { labelSelector, fieldSelector, metadataOnly = false } = opts;
  const ask = async <R>(request: Parameters<Requests["jsonOnce"]>[0]): Promise<R> => {
    using idle = new IdleTimeout(signal, { clock: requests.clock, maxIdleMs: maxListIdleMs, what: "the list" });
    return await requests.jsonOnce<R>({ ...request, signal: idle.signal, onProgress: () => idle.recordActivity() });
  };
  return listAll<T>(ask, scope, {
    metadataOnly,
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  });
}

async function* eventsAfter<T extends KubeObject>(watched: WatchState, resourceVersion: string): AsyncGenerator<WatchEvent<T>> {
  using idle = idleTimeoutOf(watched, maxIdleMsOf(watched), () => {
    watched.sendsBookmarks = false;
  });
  for await (const frames of framesOf(watched, { resourceVersion }, idle)) {
    for (const frame of frames) {
      const event = eventOf<T>(frame, watched);
      if (event !== undefined) yield event;
    }
  }
}

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
async function* listedAsEvents<T extends KubeObject>(watched: WatchState): AsyncGenerator<WatchEvent<T>> {
  let initial: Map<string, T> | undefined = new Map();
  using idle = idleTimeoutOf(watched, maxStreamIdleMs, () => {
    if (initial !== undefined) watched.streamsLists = false;
    else watched.sendsBookmarks = false;
  });
  const from = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
  for await (const frames of framesOf(watched, from, idle)) {
    for (const frame of frames) {
      const event = eventOf<T>(frame, watched);
      if (initial === undefined) {
        if (event !== undefined) yield event;
      } else if (frame.type === "BOOKMARK" && frame.initialEventsEnd) {
        const items = [...initial.values()];
        initial = undefined;
        idle.setMaxIdleMs(maxIdleMsOf(watched));
        yield { type: "LISTED", items, resourceVersion: frame.resourceVersion };
      } else if (event !== undefined) collect(initial, event);
    }
  }
  if (initial === undefined) return;
  watched.streamsLists = false;
  throw new Error("the server ended the watch before it had sent the whole state");
}

function collect<T extends KubeObject>(initial: Map<string, T>, event: WatchEvent<T>): void {
  if (event.type === "LISTED" || event.type === "BOOKMARK") return;
  const { namespace = "", name = "" } = event.object.metadata ?? {};
  const key = `${namespace}/${name}`;
  if (event.type === "DELETED") initial.delete(key);
  else initial.set(key, event.object);
}

function eventOf<T extends KubeObject>(frame: Frame, { opts }: WatchState): WatchEvent<T> | undefined {
  switch (frame.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: frame.type, object: frame.object as T };
    case "BOOKMARK":
      return frame.resourceVersion === "" ? undefined : { type: "BOOKMARK", resourceVersion: frame.resourceVersion };
    case "ERROR":
      throw frame.error;
    case "UNKNOWN":
      opts.onInterrupted?.({ error: new Error(`an event of unknown type ${JSON.stringify(frame.eventType)} is left out`), afterMs: 0 });
  }
}

const isProgress = (frame: Frame): boolean => frame.type === "BOOKMARK" && !frame.initialEventsEnd;

const maxIdleMsOf = ({ sendsBookmarks }: WatchState): number | undefined => (sendsBookmarks ? maxBookmarkIdleMs : undefined);

/** What was believed of a server that has fallen silent it must show again. */
const idleTimeoutOf = ({ signal, requests: { clock } }: WatchState, maxIdleMs: number | undefined, onTimeout: () => void): IdleTimeout =>
  new IdleTimeout(signal, { clock, maxIdleMs, what: "the watch", onTimeout });

async function* framesOf(watched: WatchState, from: Query, idle: IdleTimeout): AsyncGenerator<readonly Frame[]> {
  const { requests, scope, opts } = watched;
  const timeoutSeconds = Math.floor(minWatchTimeoutSeconds * (1 + requests.random.next()));
  using deadline = new Deadline(idle.signal, requests.clock, timeoutSeconds * 1000 + watchGraceMs, "the watch");
  const { labelSelector, fieldSelector } = opts;
  const query = { watch: true, allowWatchBookmarks: true, labelSelector, fieldSelector, timeoutSeconds, ...from };
  const path = withQuery(collectionPath(scope), query);
  const { group, resource } = scope.ref;
  const accept = opts.metadataOnly === true ? metadataOf("PartialObjectMetadata") : "application/json";
  const request = { method: "GET", path, headers: { accept }, signal: deadline.signal } as const;
  const response = await requests.attempt(request, { method: "GET", group, resource });
  if (from.resourceVersion !== undefined) opts.onConnected?.();
  try {
    for await (const lines of linesOf(idle.through(response.chunks()))) {
      const frames = lines.map(parseFrame);
      if (frames.some(isProgress)) {
        watched.sendsBookmarks = true;
        idle.setMaxIdleMs(maxBookmarkIdleMs);
      }
      yield frames;
    }
    deadline.signal.throwIfAborted();
  } finally {
    response.cancel();
  }
}
