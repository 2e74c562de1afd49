/** Batches of events whose objects have to be converted before watchers see them: in order, and together where many wait. */
import type { Entry, Revision, StoreEvent, WatchBatch } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { entriesAt, isConverted, isInVersion } from "../storage/versions.ts";
import type { WatchView } from "./event-encoder.ts";

/** As much as the object cache keeps; bytes of what was converted. */
const maxKept = { entries: 2048, bytes: 32 * 1024 * 1024 };

/** Conversions for watches: what many watch is converted once. */
export class WatchConversions {
  readonly #cache: ObjectCache;
  /** The latest last. */
  readonly #kept = new Map<Entry, { readonly by: ServedResource; readonly converted: Promise<Entry> }>();
  #keptBytes = 0;

  constructor(cache: ObjectCache) {
    this.#cache = cache;
  }

  /** @throws the Status of the webhook's failure */
  async entries(entries: readonly Entry[], resource: ServedResource): Promise<readonly Entry[]> {
    if (!isConverted(resource)) return entries;
    const missing = entries.filter((entry) => !isInVersion(this.#cache, entry, resource) && this.#kept.get(entry)?.by !== resource);
    const converting = entriesAt(this.#cache, missing, resource);
    for (const [i, entry] of missing.entries()) {
      this.#keep(
        entry,
        resource,
        converting.then((converted) => converted[i] ?? entry),
      );
    }
    const wanted = entries.map((entry) => {
      const kept = this.#kept.get(entry);
      return kept?.by === resource ? kept.converted : entry;
    });
    this.#evict();
    return Promise.all(wanted);
  }

  /** The batches with all objects that the view needs in its version. */
  async batches(batches: readonly WatchBatch[], { resource, selection }: WatchView): Promise<readonly WatchBatch[]> {
    if (!isConverted(resource)) return batches;
    // The previous object only decides what a selector makes of the event, and how a deleted object looked.
    const needsPrevious = ({ type }: StoreEvent): boolean => type === "delete" || !selection.all;
    const needed = new Set<Entry>();
    for (const { events } of batches) {
      for (const event of events) {
        if (event.type === "put") needed.add(event.entry);
        if (event.previous !== undefined && needsPrevious(event)) needed.add(event.previous);
      }
    }
    const list = [...needed];
    const converted = await this.entries(list, resource);
    const at = new Map(list.map((entry, i) => [entry, converted[i] ?? entry]));
    const seen = (entry: Entry): Entry => at.get(entry) ?? entry;
    return batches.map(({ revision, events }) => ({ revision, events: events.map((event) => eventOf(event, seen)) }));
  }

  #keep(entry: Entry, by: ServedResource, converted: Promise<Entry>): void {
    this.#drop(entry);
    this.#kept.set(entry, { by, converted });
    this.#keptBytes += entry.value.byteLength;
    converted.catch(() => {
      if (this.#kept.get(entry)?.converted === converted) this.#drop(entry);
    });
  }

  #drop(entry: Entry): void {
    if (this.#kept.delete(entry)) this.#keptBytes -= entry.value.byteLength;
  }

  #evict(): void {
    for (const entry of this.#kept.keys()) {
      if (this.#kept.size <= maxKept.entries && this.#keptBytes <= maxKept.bytes) return;
      this.#drop(entry);
    }
  }
}

function eventOf(event: StoreEvent, seen: (entry: Entry) => Entry): StoreEvent {
  if (event.type === "delete") return { ...event, previous: seen(event.previous) };
  return { ...event, entry: seen(event.entry), previous: event.previous === undefined ? undefined : seen(event.previous) };
}

/** Watches whose conversions fall behind by more end: their clients list again. What waits is kept, however old it gets. */
const maxWaiting = { events: 10_000, bytes: 64 * 1024 * 1024 };

/** What an event holds while it waits. What was there before a put has mostly waited itself. */
export const bytesOf = (event: StoreEvent): number => (event.type === "put" ? event.entry : event.previous).value.byteLength;

export interface QueueOptions {
  readonly convert: (batches: readonly WatchBatch[]) => Promise<readonly WatchBatch[]>;
  readonly deliver: (batch: WatchBatch) => void;
  /** Bytes that an event holds while it waits. Without it only their number is bounded. */
  readonly sizeOf?: (event: StoreEvent) => number;
  /** Called once; nothing is delivered afterwards. Undefined when too much waits. */
  readonly fail: (error: unknown) => void;
}

export class ConversionQueue {
  readonly #options: QueueOptions;
  #waiting: WatchBatch[] = [];
  #events = 0;
  #bytes = 0;
  #busy = false;
  #ended = false;
  /** What was said to be settled stays so. */
  #settled: Revision | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  push(batch: WatchBatch): void {
    if (this.#ended) return;
    this.#waiting.push(batch);
    this.#events += batch.events.length;
    for (const event of batch.events) this.#bytes += this.#options.sizeOf?.(event) ?? 0;
    if (this.#events > maxWaiting.events || this.#bytes > maxWaiting.bytes) this.#end(undefined);
    else if (!this.#busy) this.#work().catch((error: unknown) => this.#end(error));
  }

  /** Up to where everything is delivered, when the store has come to `now`. */
  settled(now: Revision): Revision | undefined {
    if (!this.#busy) this.#settled = now;
    return this.#settled;
  }

  close(): void {
    this.#ended = true;
    this.#waiting = [];
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const batches = this.#waiting;
      this.#waiting = [];
      this.#events = 0;
      this.#bytes = 0;
      for (const batch of await this.#options.convert(batches)) {
        if (this.#ended) return;
        this.#options.deliver(batch);
        this.#settled = batch.revision;
      }
    }
    this.#busy = false;
  }

  #end(error: unknown): void {
    if (this.#ended) return;
    this.close();
    this.#options.fail(error);
  }
}
