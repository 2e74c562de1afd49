/** Follows a store, and hands on what happens to the thread that keeps it. */
import { type Clock, sleep } from "@coxswain/machinery";
import { CompactedError, identityTransformer, type KeyedChange, type Revision, type Store, type ValueTransformer } from "@coxswain/store";
import { type ChangeBatch, encodeChangeBatch, type RecordedChange } from "../changes/change-batch.ts";
import type { HistoryBounds } from "../file/prune.ts";
import type { HistoryThread } from "../thread/history-thread.ts";

/** The store's newest changes wait so long for others, which costs less than each alone. Milliseconds. */
const collectMs = 500;
/** With so many revisions nobody waits for more. */
const maxBacklog = 1_000;
/** So many changes go to the thread at once: reading them must not hold up others for long. */
const changesAtOnce = 256;
const entriesAtOnce = 500;
/** Bounds are looked at so often. */
const pruneMs = 30_000;
/** After a failure. */
const retryMs = 10_000;

/** A store whose history is its own. */
export type RecordedStore = Store & Required<Pick<Store, "changes" | "retain">>;

/** Whether what happens in a store can be recorded. */
export const isRecordable = (store: Store): store is RecordedStore => store.changes !== undefined && store.retain !== undefined;

export interface RecorderOptions {
  readonly store: RecordedStore;
  readonly thread: HistoryThread;
  readonly clock: Clock;
  readonly bounds: HistoryBounds;
  /** What values are encrypted with at rest: such a value is kept as encrypted as it is stored. */
  readonly transformer?: ValueTransformer | undefined;
  readonly log: { warn(fields: object, message: string): void };
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #transformer: ValueTransformer;
  /** Up to where everything is recorded. */
  #recorded = 0;
  #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  #isWanted = false;
  #wake: (() => void) | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#transformer = options.transformer ?? identityTransformer;
  }

  /** Up to where everything can be read from the file. */
  get recorded(): number {
    return this.#recorded;
  }

  /** Resolves when all is recorded that the store has now. @throws HistoryFileError when that could not be done */
  async caughtUp(): Promise<void> {
    const { store } = this.#options;
    for (const revision = store.revision; this.#recorded < revision; ) {
      const turn = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
      this.#isWanted = true;
      this.#wake?.();
      await turn;
    }
  }

  /** Until the signal is aborted. Where nothing can be recorded, on a full disk for example, it is tried again. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, log } = this.#options;
    // From the start, and between attempts: what is forgotten meanwhile would be a gap.
    using _retained = store.retain(() => this.#recorded as Revision);
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        log.warn({ error, againInMs: retryMs }, "failed to record history");
        for (const { reject } of this.#waiting.splice(0)) reject(error);
        await sleep(clock, retryMs, signal).catch(() => undefined);
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, thread, clock } = this.#options;
    const recorded = await thread.call("open");
    if (recorded === undefined || recorded < store.compacted || recorded > store.revision) await this.#begin(recorded);
    else this.#recorded = recorded;
    using _changes = store.subscribe("", { after: store.revision }, () => this.#wake?.());
    using _stop = onAbort(signal, () => this.#wake?.());
    let prunedAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      await this.#recordAll(signal);
      if (clock.monotonic() - prunedAt >= pruneMs) {
        prunedAt = clock.monotonic();
        while (!signal.aborted && (await thread.call("prune", this.#options.bounds, clock.now())));
      }
      if (store.revision === this.#recorded && !(await this.#changed(signal))) continue;
      if (!this.#isWanted) await this.#pause(signal);
    }
    await this.#recordAll(undefined);
  }

  async #recordAll(signal: AbortSignal | undefined): Promise<void> {
    const { store } = this.#options;
    try {
      while (this.#recorded < store.revision && signal?.aborted !== true) await this.#recordSome();
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      await this.#begin(this.#recorded);
    }
    this.#isWanted = false;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async #recordSome(): Promise<void> {
    const { store, thread } = this.#options;
    const { revision, changes } = store.changes({ after: this.#recorded as Revision, limit: changesAtOnce });
    const batch = encodeChangeBatch(changes.map((change) => this.#recordedChange(change)));
    await thread.transfer("record", [batch, revision], [batch.bytes.buffer]);
    this.#recorded = revision;
  }

  /** All that is there now: what was before is not known, or not known without a gap. */
  async #begin(before: number | undefined): Promise<void> {
    const { store, thread, clock, log } = this.#options;
    const at = store.compacted;
    const now = clock.now();
    if (before !== undefined) log.warn({ after: before, until: at }, "history was not recorded between two resourceVersions");
    const batches: ChangeBatch[] = [];
    for (let after: string | undefined; ; ) {
      const { entries, remaining } = await store.list("", { at, limit: entriesAtOnce, ...(after === undefined ? {} : { after }) });
      batches.push(
        encodeChangeBatch(
          entries.map(({ key, value, modified }) => ({
            ...this.#stored(key, value),
            revision: modified,
            key,
            at: now,
            note: undefined,
            previous: undefined,
          })),
        ),
      );
      after = entries.at(-1)?.key;
      if (remaining === 0) break;
    }
    await thread.transfer(
      "begin",
      [batches, at, now],
      batches.map(({ bytes }) => bytes.buffer),
    );
    this.#recorded = at;
  }

  #recordedChange({ key, revision, at, entry, previous, note }: KeyedChange): RecordedChange {
    const before = previous === undefined ? undefined : { revision: previous.modified, value: previous.value };
    const stored = entry === undefined ? { value: undefined, isSealed: false } : this.#stored(key, entry.value);
    return { ...stored, revision, key, at, note: note === undefined ? undefined : JSON.stringify(note), previous: before };
  }

  #stored(key: string, value: Uint8Array): { readonly value: Uint8Array; readonly isSealed: boolean } {
    if (this.#transformer === identityTransformer) return { value, isSealed: false };
    const stored = this.#transformer.toStorage(key, value);
    return { value: stored, isSealed: stored !== value };
  }

  /** Whether the store has more, or somebody wants all of it; false when it is time to look at the bounds. */
  #changed(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.schedule(pruneMs, () => resolve(false));
      timer.unref();
      this.#wake = () => {
        timer[Symbol.dispose]();
        resolve(true);
      };
      if (signal.aborted || this.#isWanted || this.#options.store.revision > this.#recorded) this.#wake();
    });
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.schedule(collectMs, () => resolve());
      timer.unref();
      this.#wake = () => {
        if (!signal.aborted && !this.#isWanted && this.#options.store.revision - this.#recorded < maxBacklog) return;
        timer[Symbol.dispose]();
        resolve();
      };
      this.#wake();
    });
  }
}

function onAbort(signal: AbortSignal, fn: () => void): Disposable {
  signal.addEventListener("abort", fn, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", fn) };
}
