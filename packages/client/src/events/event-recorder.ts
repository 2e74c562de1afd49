/** Says what happened to an object, where `kubectl describe` shows it; the caller neither waits nor fails. */

import type { MetricsRegistry } from "@coxswain/machinery";
import {
  type Clock,
  formatTime,
  type GroupVersionKind,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  StatusError,
  sleep,
} from "@coxswain/machinery";
import type { Client, ResourceClient } from "../contracts/client.ts";
import { events } from "../resources/built-in.ts";
import { type CoreEvent, type Correlated, type CorrelatorOptions, EventCorrelator } from "./event-correlator.ts";
import { eventNames, referenceTo } from "./event-parts.ts";

/**
 * What an Event says.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export interface RecordedEvent {
  readonly type: "Normal" | "Warning";
  /** Why, in one CamelCase word that machines may look for. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The part of the object that is meant: `spec.containers{web}`. */
  readonly fieldPath?: string;
  /** What was done or not done about the object, in one word: `Binding`. Written by `createSeriesRecorder` alone, as is `related`. */
  readonly action?: string;
  /** Another object that has to do with it. */
  readonly related?: { readonly object: KubeObject; readonly kind?: GroupVersionKind };
  /** Where what says it runs, when one recorder serves several places. Default: the recorder's. */
  readonly host?: string;
}

/** Records Events about objects and writes them in the background; disposing it writes what still waits. */
export interface EventRecorder extends AsyncDisposable {
  /**
   * About an object as the server gave it; `kind` when it does not name its own, as those that come from a list.
   * Events of one object that repeat are counted, similar ones combined, and too many are dropped.
   */
  record(about: KubeObject, event: RecordedEvent, kind?: GroupVersionKind): void;
  /** Resolves once everything recorded so far is written or given up. */
  flush(): Promise<void>;
  /** Lost: because the queue was full, the server refused them, or could not be reached for long. */
  readonly dropped: number;
  /** Takes nothing more, and gives what is queued a little time to be written. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Who records Events, and by which client they are written. */
export interface EventRecorderOptions {
  readonly client: Client;
  /** Who says it. */
  readonly component: string;
  /** Where that runs. */
  readonly host?: string;
  /** Events that may wait to be written. Default: 1,000. */
  readonly queueSize?: number;
  /** Default: 2,000. */
  readonly flushMs?: number;
  readonly correlation?: Partial<Omit<CorrelatorOptions, "clock" | "nameFor">>;
  /** Called with each event that is lost for another reason than that the queue is full. */
  readonly onError?: (error: unknown) => void;
  readonly metrics?: MetricsRegistry;
}

/** client-go's: about two minutes in all. */
const maxAttempts = 12;
const retryMs = 10_000;

/** Creates a recorder that correlates Events as client-go does and writes them as core/v1 Events. */
export const createEventRecorder = (options: EventRecorderOptions): EventRecorder => new QueueingRecorder(options);

class QueueingRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #events: ResourceClient<CoreEvent>;
  readonly #correlator: EventCorrelator;
  readonly #nameFor: (objectName: string) => string;
  readonly #stop = new AbortController();
  readonly #queue: CoreEvent[] = [];
  #isClosed = false;
  #writing: Promise<void> | undefined;
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    const { client, correlation, metrics, component } = options;
    this.#options = options;
    this.#client = client;
    this.#clock = client.clock;
    this.#events = client.resource(events);
    this.#nameFor = eventNames(client);
    this.#correlator = new EventCorrelator({ ...correlation, clock: client.clock, nameFor: this.#nameFor });
    metrics?.gaugeOf("events_dropped", "Events that were lost before they were written", { component }, () => this.#dropped);
  }

  get dropped(): number {
    return this.#dropped;
  }

  record(about: KubeObject, recorded: RecordedEvent, kind?: GroupVersionKind): void {
    if (this.#isClosed || this.#queue.length >= (this.#options.queueSize ?? 1000)) {
      this.#dropped++;
      return;
    }
    this.#queue.push(this.#eventOf(about, recorded, kind));
    this.#writing ??= this.#write();
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    using _ = this.#clock.schedule(this.#options.flushMs ?? 2000, () => this.#stop.abort(new Error("the event recorder is closed")));
    await this.flush();
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      if (this.#stop.signal.aborted) this.#dropped++;
      else await this.#writeOne(this.#correlator.correlate(event));
    }
    this.#writing = undefined;
  }

  async #writeOne(correlated: Correlated): Promise<void> {
    if (correlated.do === "drop") return;
    const { signal } = this.#stop;
    let isRepeated = false;
    const onRepeated = (): void => {
      isRepeated = true;
    };
    for (let attempt = 1; ; attempt++) {
      try {
        this.#correlator.written(await this.#send(correlated, onRepeated));
        return;
      } catch (error) {
        // Its name is unique: an earlier attempt has written it, though the answer was lost.
        if (isRepeated && isAlreadyExists(error)) return this.#correlator.written(correlated.event);
        isRepeated = true;
        if (error instanceof StatusError || attempt === maxAttempts || signal.aborted) return this.#lose(error);
        const delayMs = attempt === 1 ? retryMs * this.#client.random.next() : retryMs;
        await sleep(this.#clock, delayMs, signal).catch(() => undefined);
      }
    }
  }

  /** An event that was written before may have reached the end of its life: then it begins again. */
  async #send(correlated: Correlated & { readonly event: CoreEvent }, onRepeated: () => void): Promise<CoreEvent> {
    const { event } = correlated;
    const { signal } = this.#stop;
    const { name = "", namespace } = event.metadata;
    if (correlated.do === "patch") {
      try {
        return await this.#events.patch({ name, namespace }, { type: "strategic", patch: correlated.patch }, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return await this.#events.create(event, { signal, onRepeated });
  }

  #lose(error: unknown): void {
    this.#dropped++;
    this.#options.onError?.(error);
  }

  #eventOf(about: KubeObject, recorded: RecordedEvent, kind: GroupVersionKind | undefined): CoreEvent {
    const { component } = this.#options;
    const { type, reason, message, annotations, host = this.#options.host } = recorded;
    const involvedObject = referenceTo(about, kind, recorded.fieldPath);
    const time = formatTime({ seconds: Math.floor(this.#clock.now() / 1000), nanos: 0 }) ?? "";
    return {
      metadata: {
        name: this.#nameFor(involvedObject.name ?? ""),
        namespace: involvedObject.namespace ?? "default",
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      },
      involvedObject,
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component, ...(host === undefined ? {} : { host }) },
      reportingComponent: component,
      reportingInstance: host ?? "",
    };
  }
}
