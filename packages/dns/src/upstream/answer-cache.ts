/** Answers of other name servers, for as long as they may be remembered. Bounded by number and by size. */
import type { Clock } from "@coxswain/machinery";
import { type Message, type ResourceRecord, recordType, responseCode } from "../message/message.ts";
import { negativeTtl } from "../message/records.ts";

/** How much is remembered, and how long. */
export interface CacheBounds {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Whatever an answer says, it is not kept longer. */
  readonly maxTtlSeconds: number;
  /** For so long nobody is asked again who has failed. */
  readonly failureTtlSeconds: number;
}

/** As CoreDNS has them in the configuration of kubeadm, and a bound for the size. */
export const defaultCacheBounds: CacheBounds = { maxEntries: 9984, maxBytes: 16 * 1024 * 1024, maxTtlSeconds: 30, failureTtlSeconds: 5 };

interface Entry {
  readonly message: Message;
  readonly storedAtMs: number;
  readonly ttlSeconds: number;
  readonly size: number;
}

/** What of a record counts beside its data. */
const recordOverhead = 200;

export class AnswerCache {
  readonly #clock: Clock;
  readonly #bounds: CacheBounds;
  /** Those that were used last stand last. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  readonly counts = { hits: 0, misses: 0, evictions: 0 };

  constructor(clock: Clock, bounds: CacheBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** With the times that are left. */
  get(key: string): Message | undefined {
    const entry = this.#entries.get(key);
    const age = entry === undefined ? 0 : Math.floor((this.#clock.monotonic() - entry.storedAtMs) / 1000);
    if (entry === undefined || age >= entry.ttlSeconds) {
      if (entry !== undefined) this.#delete(key, entry);
      this.counts.misses++;
      return undefined;
    }
    this.counts.hits++;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const left = entry.ttlSeconds - age;
    const aged = (records: readonly ResourceRecord[]): ResourceRecord[] =>
      records.map((record) => ({ ...record, ttl: Math.min(left, Math.max(0, record.ttl - age)) }));
    const { message } = entry;
    return { ...message, answers: aged(message.answers), authorities: aged(message.authorities), additionals: aged(message.additionals) };
  }

  set(key: string, message: Message): void {
    const ttlSeconds = ttlOf(message, this.#bounds);
    const size = sizeOf(key, message);
    if (ttlSeconds <= 0 || size > this.#bounds.maxBytes) return;
    const previous = this.#entries.get(key);
    if (previous !== undefined) this.#delete(key, previous);
    this.#entries.set(key, { message, storedAtMs: this.#clock.monotonic(), ttlSeconds, size });
    this.#bytes += size;
    while (this.#entries.size > this.#bounds.maxEntries || this.#bytes > this.#bounds.maxBytes) this.#evict();
  }

  #evict(): void {
    const [oldest] = this.#entries;
    if (oldest === undefined) return;
    this.#delete(...oldest);
    this.counts.evictions++;
  }

  #delete(key: string, { size }: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= size;
  }
}

/** Seconds; 0: it must not be kept. */
function ttlOf(message: Message, { maxTtlSeconds, failureTtlSeconds }: CacheBounds): number {
  const { rcode, answers, authorities, truncated } = message;
  if (truncated) return 0;
  if (rcode === responseCode.serverFailure) return failureTtlSeconds;
  if (rcode !== responseCode.noError && rcode !== responseCode.nameError) return 0;
  if (rcode === responseCode.noError && answers.length > 0) return Math.min(maxTtlSeconds, ...answers.map(({ ttl }) => ttl));
  const authority = authorities.find(({ type }) => type === recordType.SOA);
  return authority === undefined ? 0 : Math.min(maxTtlSeconds, negativeTtl(authority), ...answers.map(({ ttl }) => ttl));
}

const sizeOf = (key: string, { answers, authorities, additionals }: Message): number =>
  [answers, authorities, additionals]
    .flat()
    .reduce((sum, { name, data }) => sum + name.length + data.length + recordOverhead, key.length + 400);
