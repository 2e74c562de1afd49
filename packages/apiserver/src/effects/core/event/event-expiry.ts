/**
 * Events are forgotten an hour after they were last written. Kubernetes has etcd do it, whatever the events' finalizers say.
 * Once it runs it counts elapsed time: a wall clock that is set ends no Event early and keeps none.
 */
import type { Clock, ObjectMeta } from "@coxswain/machinery";
import type { Entry, Revision } from "@coxswain/store";
import type { Log } from "../../../contracts/log.ts";
import { eventTtlSeconds } from "../../../storage/event-ttl.ts";
import type { ObjectReader } from "../../../storage/object-reader.ts";

const lifetimeMs = eventTtlSeconds * 1000;
/** Those that end within this time of each other end together. */
const sweepMs = 1_000;
/** When the store fails. */
const retryMs = 10_000;

interface EventExpiryOptions {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly log: Log;
}

interface Ending {
  readonly revision: Revision;
  /** Monotonic milliseconds. */
  readonly due: number;
}

export class EventExpiry implements Disposable {
  readonly #options: EventExpiryOptions;
  /** By key, the first that is due first: all live equally long, and a write puts an event at the end. */
  readonly #endings = new Map<string, Ending>();
  #subscription: Disposable | undefined;
  #timer: Disposable | undefined;

  constructor(options: EventExpiryOptions) {
    this.#options = options;
  }

  /** Takes over what is there, with the time that it has left. */
  async start(): Promise<void> {
    const { clock, reader } = this.#options;
    const { store, served } = reader;
    if (store.expires === true) return;
    const prefix = served.find("", "v1", "events")?.prefix;
    if (prefix === undefined) return;
    const { revision, entries } = await store.list(prefix);
    const start = clock.monotonic();
    const dueOf = (entry: Entry): number => start + lifetimeMs - this.#age(entry);
    const endings = entries.map((entry) => [entry.key, { revision: entry.modified, due: dueOf(entry) }] as const);
    for (const [key, ending] of endings.sort(([, a], [, b]) => a.due - b.due)) this.#endings.set(key, ending);
    this.#subscription = store.subscribe(prefix, { after: revision }, ({ events }) => {
      for (const event of events) {
        const key = event.type === "put" ? event.entry.key : event.key;
        this.#endings.delete(key);
        if (event.type === "put") this.#endings.set(key, { revision: event.entry.modified, due: clock.monotonic() + lifetimeMs });
      }
      this.#schedule();
    });
    this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = undefined;
    this.#timer?.[Symbol.dispose]();
  }

  /** How long ago was the last time that the object knows of; milliseconds, and never in the future. */
  #age(entry: Entry): number {
    const { creationTimestamp, managedFields = [] }: ObjectMeta = this.#options.reader.cache.objectOf(entry).metadata ?? {};
    const times = [creationTimestamp, ...managedFields.map(({ time }) => time)].map((time) => Date.parse(time ?? ""));
    const now = this.#options.clock.now();
    return Math.max(0, now - Math.max(0, ...times.filter((time) => !Number.isNaN(time))));
  }

  #schedule(): void {
    const first = this.#endings.values().next().value;
    if (first === undefined || this.#timer !== undefined) return;
    this.#scheduleIn(Math.max(sweepMs, first.due - this.#options.clock.monotonic()));
  }

  #scheduleIn(afterMs: number): void {
    const timer = this.#options.clock.schedule(afterMs, () => {
      void this.#sweep().then((nextMs) => {
        this.#timer = undefined;
        if (this.#subscription === undefined) return;
        if (nextMs === undefined) this.#schedule();
        else this.#scheduleIn(nextMs);
      });
    });
    timer.unref();
    this.#timer = timer;
  }

  /** Resolves with how long to wait, where that is not for the next event. */
  async #sweep(): Promise<number | undefined> {
    const { clock, log } = this.#options;
    const { store } = this.#options.reader;
    const now = clock.monotonic();
    const over: [string, Ending][] = [];
    for (const ending of this.#endings) {
      if (ending[1].due > now) break;
      over.push(ending);
    }
    try {
      await Promise.all(over.map(([key, { revision }]) => store.write({ op: "delete", key, expect: revision })));
      return undefined;
    } catch (error) {
      log.error({ error }, "failed to remove expired events");
      return retryMs;
    }
  }
}
