/** Events that wait in memory, and are delivered together while requests go on. */
import type { Clock } from "@coxswain/machinery";
import type { AuditBatchSettings, AuditTruncateSettings } from "../options/audit-options.ts";
import type { AuditBackend, AuditDelivery, OnLostEvents } from "./audit-backend.ts";

interface Surroundings {
  readonly clock: Clock;
  readonly onLost: OnLostEvents;
  /** Splits batches; none does without. */
  readonly truncate: AuditTruncateSettings | undefined;
}

/** Of all that wait and that are being delivered: events of large objects must not fill the memory. Bytes. */
const maxBytes = 128 * 1024 * 1024;

/** A batch goes once it is full, or `maxWaitMs` after the one before. What the buffer has no room for is lost, and counted. */
export class AuditBatches implements AuditBackend {
  readonly #delivery: AuditDelivery;
  readonly #settings: AuditBatchSettings;
  readonly #at: Surroundings;
  readonly #underway = new Set<Promise<void>>();
  #events: string[] = [];
  #bytes = 0;
  #timer: Disposable | undefined;
  #tokens: number;
  #refilledAt: number;
  #isFull = false;
  #isClosed = false;

  constructor(delivery: AuditDelivery, settings: AuditBatchSettings, at: Surroundings) {
    this.#delivery = delivery;
    this.#settings = settings;
    this.#at = at;
    this.#tokens = settings.throttle?.burst ?? 0;
    this.#refilledAt = at.clock.monotonic();
  }

  /** Nobody waits for it. */
  process(event: string): boolean {
    const { bufferSize, maxSize, maxWaitMs } = this.#settings;
    if (this.#isClosed) {
      this.#at.onLost("buffered", 1, new Error("audit backend shut down"));
      return true;
    }
    if (this.#events.length >= bufferSize || this.#bytes + event.length > maxBytes) {
      this.#at.onLost("buffered", 1, new Error("audit buffer queue blocked"));
      return true;
    }
    this.#events.push(event);
    this.#bytes += event.length;
    if (this.#events.length >= Math.min(maxSize, bufferSize)) {
      if (!this.#isFull) this.#sendAfter(0);
      this.#isFull = true;
    } else if (this.#timer === undefined) this.#sendAfter(maxWaitMs);
    return true;
  }

  /** Delivers what is left, without a pause. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    while (this.#events.length > 0) this.#deliver();
    while (this.#underway.size > 0) await Promise.all(this.#underway);
  }

  #sendAfter(ms: number): void {
    this.#timer?.[Symbol.dispose]();
    const timer = this.#at.clock.schedule(ms, () => this.#send());
    timer.unref();
    this.#timer = timer;
  }

  #send(): void {
    this.#timer = undefined;
    this.#isFull = false;
    const { maxSize, maxWaitMs } = this.#settings;
    do {
      const waitMs = this.#takeToken();
      if (waitMs > 0) {
        this.#sendAfter(waitMs);
        return;
      }
      this.#deliver();
    } while (this.#events.length >= maxSize);
    if (this.#events.length > 0) this.#sendAfter(maxWaitMs);
  }

  /** How long there is none. Milliseconds. */
  #takeToken(): number {
    const { throttle } = this.#settings;
    if (throttle === undefined) return 0;
    const now = this.#at.clock.monotonic();
    this.#tokens = Math.min(throttle.burst, this.#tokens + ((now - this.#refilledAt) / 1000) * throttle.qps);
    this.#refilledAt = now;
    if (this.#tokens < 1) return Math.max(1, Math.ceil(((1 - this.#tokens) / throttle.qps) * 1000));
    this.#tokens--;
    return 0;
  }

  #deliver(): void {
    const events = this.#events.splice(0, this.#settings.maxSize);
    for (const part of split(events, this.#at.truncate?.maxBatchSize ?? Number.POSITIVE_INFINITY)) {
      const done = this.#deliverPart(part).finally(() => this.#underway.delete(done));
      this.#underway.add(done);
    }
  }

  async #deliverPart(events: readonly string[]): Promise<void> {
    try {
      await this.#delivery.deliver(events);
    } catch (error) {
      this.#at.onLost(this.#delivery.name, events.length, error);
    } finally {
      for (const { length } of events) this.#bytes -= length;
    }
  }
}

/** An event is never split. */
function split(events: readonly string[], maxBatchSize: number): readonly (readonly string[])[] {
  if (maxBatchSize === Number.POSITIVE_INFINITY) return [events];
  const parts: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const event of events) {
    const bytes = Buffer.byteLength(event);
    if (size + bytes > maxBatchSize) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(event);
    size += bytes;
  }
  return parts;
}
