/** One connection of a watch: the state to begin with, where it is asked for, and the events after it. */
import { type KubeObject, StatusError } from "@coxswain/machinery";
import type { WatchEvent, WatchOptions } from "../contracts/watch-event.ts";
import { listAll, metadataOf } from "../rest/pages.ts";
import { collectionPath, type Place, type Query, withQuery } from "../rest/path.ts";
import type { Requests } from "../rest/requests.ts";
import { Deadline } from "./deadline.ts";
import { type Frame, parseFrame } from "./frame.ts";
import { linesOf } from "./lines.ts";
import { Silence } from "./silence.ts";

export interface Watched {
  readonly requests: Requests;
  readonly place: Place;
  readonly opts: WatchOptions;
  readonly signal: AbortSignal;
  /** Whether the server is believed to send the state to begin with as events. */
  streamsLists: boolean;
  /** Whether it is believed to tell now and then how far it has got. */
  sendsBookmarks: boolean;
}

/** The server ends a watch after a time between this and twice this, so that clients spread over several servers again. */
const shortestWatchSeconds = 300;
/** How long a watch may outlive that before it counts as dead. */
const overtimeMs = 30_000;
/** Servers give up a list after one minute; while it comes it may take its time. */
const listSilenceMs = 70_000;
/** A server that streams the state begins at once, and tells of nothing else meanwhile. */
const streamSilenceMs = 30_000;
/** Where bookmarks come, they come about once a minute: two may be missed, and half a minute. */
const bookmarkSilenceMs = 150_000;

/** Goes on after `version`, or begins with LISTED. @throws what broke it off; ends when the server ended it in order */
export async function* connect<T extends KubeObject>(watched: Watched, version: string | undefined): AsyncGenerator<WatchEvent<T>> {
  if (version !== undefined) return yield* eventsAfter<T>(watched, version);
  if (watched.streamsLists) {
    try {
      return yield* listedAsEvents<T>(watched);
    } catch (error) {
      if (!isRefusal(error)) throw error;
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
const isRefusal = (error: unknown): boolean => error instanceof StatusError && [400, 405, 406, 415, 422, 500].includes(error.code);

function list<T extends KubeObject>({ requests, place, opts, signal }: Watched) {
  const { labelSelector, fieldSelector, metadataOnly = false } = opts;
  const ask = async <R>(request: Parameters<Requests["jsonOnce"]>[0]): Promise<R> => {
    using silence = new Silence(signal, { clock: requests.clock, longestMs: listSilenceMs, what: "the list" });
    return await requests.jsonOnce<R>({ ...request, signal: silence.signal, onProgress: () => silence.heard() });
  };
  return listAll<T>(ask, place, {
    metadataOnly,
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  });
}

async function* eventsAfter<T extends KubeObject>(watched: Watched, resourceVersion: string): AsyncGenerator<WatchEvent<T>> {
  using silence = silenceOf(watched, usualSilence(watched), () => {
    watched.sendsBookmarks = false;
  });
  for await (const frames of framesOf(watched, { resourceVersion }, silence)) {
    for (const frame of frames) {
      const event = eventOf<T>(frame, watched);
      if (event !== undefined) yield event;
    }
  }
}

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
async function* listedAsEvents<T extends KubeObject>(watched: Watched): AsyncGenerator<WatchEvent<T>> {
  let initial: Map<string, T> | undefined = new Map();
  using silence = silenceOf(watched, streamSilenceMs, () => {
    if (initial !== undefined) watched.streamsLists = false;
    else watched.sendsBookmarks = false;
  });
  const from = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
  for await (const frames of framesOf(watched, from, silence)) {
    for (const frame of frames) {
      const event = eventOf<T>(frame, watched);
      if (initial === undefined) {
        if (event !== undefined) yield event;
      } else if (frame.type === "BOOKMARK" && frame.initialEventsEnd) {
        const items = [...initial.values()];
        initial = undefined;
        silence.endureFor(usualSilence(watched));
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

function eventOf<T extends KubeObject>(frame: Frame, { opts }: Watched): WatchEvent<T> | undefined {
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
      opts.onInterrupted?.({ error: new Error(`an event of unknown type ${JSON.stringify(frame.told)} is left out`), afterMs: 0 });
  }
}

const isProgress = (frame: Frame): boolean => frame.type === "BOOKMARK" && !frame.initialEventsEnd;

const usualSilence = ({ sendsBookmarks }: Watched): number | undefined => (sendsBookmarks ? bookmarkSilenceMs : undefined);

/** What was believed of a server that has fallen silent it must show again. */
const silenceOf = ({ signal, requests: { clock } }: Watched, longestMs: number | undefined, onTooLong: () => void): Silence =>
  new Silence(signal, { clock, longestMs, what: "the watch", onTooLong });

async function* framesOf(watched: Watched, from: Query, silence: Silence): AsyncGenerator<readonly Frame[]> {
  const { requests, place, opts } = watched;
  const timeoutSeconds = Math.floor(shortestWatchSeconds * (1 + requests.random.next()));
  using deadline = new Deadline(silence.signal, requests.clock, timeoutSeconds * 1000 + overtimeMs, "the watch");
  const { labelSelector, fieldSelector } = opts;
  const query = { watch: true, allowWatchBookmarks: true, labelSelector, fieldSelector, timeoutSeconds, ...from };
  const path = withQuery(collectionPath(place), query);
  const { group, resource } = place.ref;
  const accept = opts.metadataOnly === true ? metadataOf("PartialObjectMetadata") : "application/json";
  const request = { method: "GET", path, headers: { accept }, signal: deadline.signal } as const;
  const response = await requests.attempt(request, { method: "GET", group, resource });
  if (from.resourceVersion !== undefined) opts.onConnected?.();
  try {
    for await (const lines of linesOf(silence.through(response.chunks()))) {
      const frames = lines.map(parseFrame);
      if (frames.some(isProgress)) {
        watched.sendsBookmarks = true;
        silence.endureFor(bookmarkSilenceMs);
      }
      yield frames;
    }
    deadline.signal.throwIfAborted();
  } finally {
    response.cancel();
  }
}
