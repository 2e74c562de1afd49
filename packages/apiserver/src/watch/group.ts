/** Watchers that see the same events in the same form: each event is encoded once and its bytes are shared. */
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
        for (const watcher of [...this.members]) watcher.fail(error === undefined ? undefined : this.encoder.failure(error));
      },
    });
  }

  #deliver({ events }: WatchBatch): void {
    const bytes = encodeEvents(
      this.encoder,
      this.#after === this.#since ? events : events.filter((event) => revisionOf(event) > this.#after),
    );
    if (bytes === undefined) return;
    this.#series.count += this.members.size * bytes.count;
    for (const watcher of this.members) watcher.push(bytes.bytes);
  }
}

export interface GroupOptions {
  readonly store: Store;
  readonly series: WatchEventSeries;
  readonly after: Revision;
  readonly conversions: WatchConversions;
  /** When what has happened since the last event is not known: nobody can be told. */
  readonly onReplaced: (group: WatchGroup) => void;
}

const revisionOf = (event: StoreEvent): Revision => (event.type === "put" ? event.entry.modified : event.revision);

export interface EncodedEvents {
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** All events that the view shows, in one buffer. */
function encodeEvents(encoder: EventEncoder, events: readonly StoreEvent[]): EncodedEvents | undefined {
  let first: Uint8Array | undefined;
  let more: Uint8Array[] | undefined;
  for (const event of events) {
    const bytes = encoder.encode(event);
    if (bytes === undefined) continue;
    if (first === undefined) first = bytes;
    else if (more === undefined) more = [first, bytes];
    else more.push(bytes);
  }
  if (first === undefined) return undefined;
  return more === undefined ? { bytes: first, count: 1 } : { bytes: Buffer.concat(more), count: more.length };
}
