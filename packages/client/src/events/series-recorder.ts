/**
 * Records as events.k8s.io has it: what is done again about the same version of an object is one Event with a series,
 * counted here and written now and then. The rules and figures are those of client-go's broadcaster.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
import {
  type GroupVersionKind,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  StatusError,
  sleep,
  type Timer,
  wireMicroTime,
} from "@coxswain/machinery";
import type { eventsV1 as eventTypes } from "@coxswain/types";
import type { Client, ResourceClient } from "../contracts/client.ts";
import { eventsV1 } from "../resources/built-in.ts";
import { eventNames, referenceTo } from "./event-parts.ts";
import type { EventRecorder, EventRecorderOptions, RecordedEvent } from "./event-recorder.ts";

type SeriesEvent = eventTypes.Event;

/** How many Events are written at once. */
const writers = 8;
const maxAttempts = 12;
const retryMs = 10_000;
/** A series in which nothing happened for so long has ended; one that goes on is written this often, lest the Event expires. */
const finishMs = 6 * 60_000;
const refreshMs = 30 * 60_000;
const maxNoteLength = 1_024;
const cut = " ...";

interface Known {
  readonly event: SeriesEvent;
  count: number;
  lastAt: number;
  writtenAt: number;
}

/** `annotations` and `fieldPath` are not compared. */
export const createSeriesRecorder = (options: Omit<EventRecorderOptions, "correlation">): EventRecorder => new SeriesRecorder(options);

class SeriesRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #client: Client;
  readonly #events: ResourceClient<SeriesEvent>;
  readonly #nameFor: (objectName: string) => string;
  readonly #stop = new AbortController();
  readonly #known = new Map<string, Known>();
  readonly #queue: Known[] = [];
  readonly #writing = new Set<Promise<void>>();
  #isClosed = false;
  #upkeep: Timer | undefined;
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    const { client, component, metrics } = options;
    this.#options = options;
    this.#client = client;
    this.#events = client.resource(eventsV1);
    this.#nameFor = eventNames(client);
    metrics?.gaugeOf("events_dropped", "Events that were lost before they were written", { component }, () => this.#dropped);
  }

  get dropped(): number {
    return this.#dropped;
  }

  record(about: KubeObject, recorded: RecordedEvent, kind?: GroupVersionKind): void {
    const now = this.#client.clock.now();
    const event = this.#eventOf(about, recorded, kind, now);
    const key = seriesKey(event);
    const known = this.#known.get(key);
    if (known !== undefined) {
      known.count++;
      known.lastAt = now;
      // Once it is known to be a series it is written with the others.
      if (known.count === 2) this.#enqueue(known);
      return;
    }
    const first: Known = { event, count: 1, lastAt: now, writtenAt: now };
    if (this.#enqueue(first)) this.#known.set(key, first);
    this.#upkeepLater();
  }

  async flush(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#upkeep?.[Symbol.dispose]();
    const { flushMs = 2_000 } = this.#options;
    using _ = this.#client.clock.schedule(flushMs, () => this.#stop.abort(new Error("the event recorder is closed")));
    await this.flush();
  }

  #enqueue(known: Known): boolean {
    if (this.#isClosed || this.#queue.length >= (this.#options.queueSize ?? 1_000)) {
      this.#dropped++;
      return false;
    }
    this.#queue.push(known);
    if (this.#writing.size < writers) {
      const writing = this.#write();
      this.#writing.add(writing);
      writing.finally(() => this.#writing.delete(writing));
    }
    return true;
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    for (let known = this.#queue.shift(); known !== undefined; known = this.#queue.shift()) {
      if (this.#stop.signal.aborted) this.#dropped++;
      else await this.#writeOne(known);
    }
  }

  async #writeOne(known: Known): Promise<void> {
    const { signal } = this.#stop;
    let isRepeated = false;
    const onRepeated = (): void => {
      isRepeated = true;
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(known, onRepeated);
      } catch (error) {
        // Its name is unique: an earlier attempt has written it, though the answer was lost.
        if (isRepeated && isAlreadyExists(error) && known.count === 1) return;
        isRepeated = true;
        // Of a series the first Event may just be being written.
        const isFinal = error instanceof StatusError && !(isAlreadyExists(error) && known.count > 1);
        if (isFinal || attempt === maxAttempts || signal.aborted) return this.#lose(error);
        await sleep(this.#client.clock, retryMs * (1 + this.#client.random.next() / 4), signal).catch(() => undefined);
      }
    }
  }

  async #send({ event, count, lastAt }: Known, onRepeated: () => void): Promise<void> {
    const { signal } = this.#stop;
    const { name = "", namespace } = event.metadata ?? {};
    if (count === 1) return void (await this.#events.create(event, { signal, onRepeated }));
    const series = { count, lastObservedTime: wireMicroTime(lastAt) };
    try {
      await this.#events.patch({ name, namespace }, { type: "strategic", patch: { series } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#events.create({ ...event, series }, { signal });
    }
  }

  #lose(error: unknown): void {
    this.#dropped++;
    this.#options.onError?.(error);
  }

  #upkeepLater(): void {
    if (this.#upkeep !== undefined || this.#known.size === 0 || this.#isClosed) return;
    this.#upkeep = this.#client.clock.schedule(finishMs, () => {
      this.#upkeep = undefined;
      this.#finish();
      this.#upkeepLater();
    });
    this.#upkeep.unref();
  }

  #finish(): void {
    const now = this.#client.clock.now();
    for (const [key, known] of this.#known) {
      const hasEnded = known.lastAt < now - finishMs;
      if (hasEnded) this.#known.delete(key);
      if (known.count === 1 || (!hasEnded && known.writtenAt > now - refreshMs)) continue;
      known.writtenAt = now;
      this.#enqueue(known);
    }
  }

  #eventOf(about: KubeObject, recorded: RecordedEvent, kind: GroupVersionKind | undefined, now: number): SeriesEvent {
    const { component, host } = this.#options;
    const { type, reason, message, action = reason, related } = recorded;
    const regarding = referenceTo(about, kind);
    return {
      metadata: { name: this.#nameFor(regarding.name ?? ""), namespace: regarding.namespace ?? "default" },
      eventTime: wireMicroTime(now),
      reportingController: component,
      reportingInstance: host === undefined ? component : `${component}-${host}`,
      action,
      reason,
      regarding,
      ...(related === undefined ? {} : { related: referenceTo(related.object, related.kind) }),
      note: message.length > maxNoteLength ? message.slice(0, maxNoteLength - cut.length) + cut : message,
      type,
    };
  }
}

/** Not what is said of it: the first Event's words stand for all. */
const seriesKey = ({ type, action, reason, regarding, related }: SeriesEvent): string =>
  JSON.stringify([type, action, reason, regarding, related]);
