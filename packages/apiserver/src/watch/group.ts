/**
 * Watchers that see the same events in the same form: each event is encoded once and its bytes are shared. What happens in one
 * round of the event loop is one write to each that is elsewhere: with many watchers, a write costs more than what is written.
 */
import type { Revision, Store, StoreEvent, WatchBatch } from "@coxswain/store";
import type { WatchEventSeries } from "../contracts/metrics.ts";
import { isConverted } from "../storage/versions.ts";
import { bytesOf, ConversionQueue, type WatchConversions } from "./conversion-queue.ts";
import type { EventEncoder, WatchView } from "./event-encoder.ts";
import type { Watcher } from "./watcher.ts";

export class WatchGroup {
  readonly view: WatchView;
  readonly encoder: EventEncoder;
  readonly members = new Set<Watcher>();
  readonly #series: WatchEventSeries;
  readonly #subscription: Disposable;
  /** Where the hub finds the group. */
  readonly key: string;
  /** Changes up to here are known to the members: they asked to begin later than now. */
  readonly #after: Revision;
  readonly #since: Revision;
  /** Undefined where nothing has to be converted. */
  readonly #queue: ConversionQueue | undefined;
  /** Events that wait for the end of this round of the event loop. */
  #waiting: Uint8Array[] = [];

  constructor(key: string, view: WatchView, encoder: EventEncoder, { store, series, after, conversions, onReplaced }: GroupOptions) {
    this.key = key;
    this.view = view;
    this.encoder = encoder;
    this.#series = series;
    this.#after = after;
    this.#queue = isConverted(view.resource) ? this.#converting(conversions) : undefined;
    const take = (batch: WatchBatch): void => {
      if (batch.isReplaced === true) onReplaced(this);
      else if (this.#queue === undefined) this.#deliver(batch);
      else this.#queue.push(batch);
    };
    this.#since = store.revision;
    this.#subscription = store.subscribe(view.prefix, { after: this.#since }, take);
  }

  close(): void {
    this.#subscription[Symbol.dispose]();
    this.#queue?.close();
  }

  /** Writes what waits, so that what comes next comes after it, and who joins does not see it. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const bytes = joined(this.#waiting);
    this.#waiting = [];
    for (const watcher of this.members) if (watcher.sink.prefersFewWrites === true) watcher.push(bytes);
  }

  /** Up to where the members have seen everything, when the store has come to `now`; undefined when that is not known. */
  settled(now: Revision): Revision | undefined {
    const settled = this.#queue === undefined ? now : this.#queue.settled(now);
    return settled === undefined || settled < this.#after ? undefined : settled;
  }

  #converting(conversions: WatchConversions): ConversionQueue {
    return new ConversionQueue({
      convert: (batches) => conversions.batches(batches, this.view),
      deliver: (batch) => this.#deliver(batch),
      sizeOf: bytesOf,
      fail: (error) => {
        this.flush();
        for (const watcher of [...this.members]) watcher.fail(error === undefined ? undefined : this.encoder.failure(error));
      },
    });
  }

  #deliver({ events }: WatchBatch): void {
    const encoded: Uint8Array[] = [];
    for (const event of events) {
      if (this.#after !== this.#since && revisionOf(event) <= this.#after) continue;
      const bytes = this.encoder.encode(event);
      if (bytes !== undefined) encoded.push(bytes);
    }
    if (encoded.length === 0) return;
    this.#series.count += this.members.size * encoded.length;
    const bytes = joined(encoded);
    let mayWait = false;
    for (const watcher of this.members) {
      if (watcher.sink.prefersFewWrites === true) mayWait = true;
      else watcher.push(bytes);
    }
    if (mayWait && this.#waiting.push(bytes) === 1) setImmediate(() => this.flush());
  }
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));

export interface GroupOptions {
  readonly store: Pick<Store, "revision" | "subscribe">;
  readonly series: WatchEventSeries;
  readonly after: Revision;
  readonly conversions: WatchConversions;
  /** When what has happened since the last event is not known: nobody can be told. */
  readonly onReplaced: (group: WatchGroup) => void;
}

const revisionOf = (event: StoreEvent): Revision => (event.type === "put" ? event.entry.modified : event.revision);
