/**
 * Answers of other name servers, for as long as they may be remembered. Bounded by number and by size; records by themselves, and
 * by themselves denials and failures, which anybody can have as many of as there are names: they take no room from records.
 */
import type { Clock } from "@coxswain/machinery";
import { type Message, type ResourceRecord, recordType, responseCode } from "../message/message.ts";
import { negativeTtl } from "../message/records.ts";

/** How much is remembered, and how long. */
export interface CacheBounds {
  /** Of answers with records, and as many without. */
  readonly maxEntries: number;
  /** For both together: denials get a quarter. */
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
  readonly #success: Entries;
  readonly #denial: Entries;
  readonly counts = { hits: 0, misses: 0, evictions: 0 };

  constructor(clock: Clock, bounds: CacheBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
    const denialBytes = Math.floor(bounds.maxBytes / 4);
    this.#success = new Entries(bounds.maxEntries, bounds.maxBytes - denialBytes);
    this.#denial = new Entries(bounds.maxEntries, denialBytes);
  }

  get size(): number {
    return this.#success.size + this.#denial.size;
  }

  get bytes(): number {
    return this.#success.bytes + this.#denial.bytes;
  }

  /** With the times that are left. */
  get(key: string): Message | undefined {
    const entry = this.#valid(this.#success, key) ?? this.#valid(this.#denial, key);
    if (entry === undefined) {
      this.counts.misses++;
      return undefined;
    }
    this.counts.hits++;
    const age = this.#ageOf(entry);
    const left = entry.ttlSeconds - age;
    const aged = (records: readonly ResourceRecord[]): ResourceRecord[] =>
      records.map((record) => ({ ...record, ttl: Math.min(left, Math.max(0, record.ttl - age)) }));
    const { message } = entry;
    return { ...message, answers: aged(message.answers), authorities: aged(message.authorities), additionals: aged(message.additionals) };
  }

  set(key: string, message: Message): void {
    const ttlSeconds = ttlOf(message, this.#bounds);
    if (ttlSeconds <= 0) return;
    this.#success.delete(key);
    this.#denial.delete(key);
    const entries = hasRecords(message) ? this.#success : this.#denial;
    const entry = { message, storedAtMs: this.#clock.monotonic(), ttlSeconds, size: sizeOf(key, message) };
    this.counts.evictions += entries.add(key, entry);
  }

  #valid(entries: Entries, key: string): Entry | undefined {
    const entry = entries.use(key);
    if (entry === undefined || this.#ageOf(entry) < entry.ttlSeconds) return entry;
    entries.delete(key);
    return undefined;
  }

  /** Seconds. */
  #ageOf({ storedAtMs }: Entry): number {
    return Math.floor((this.#clock.monotonic() - storedAtMs) / 1000);
  }
}

class Entries {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  /** Those that were used last stand last. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxEntries: number, maxBytes: number) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  use(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Returns how many others went for it. What is larger than all of the room is not kept. */
  add(key: string, entry: Entry): number {
    if (entry.size > this.#maxBytes) return 0;
    this.#entries.set(key, entry);
    this.#bytes += entry.size;
    let evicted = 0;
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
      evicted++;
    }
    return evicted;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.size;
  }
}

const hasRecords = ({ rcode, answers }: Message): boolean => rcode === responseCode.noError && answers.length > 0;

/** Seconds; 0: it must not be kept. */
function ttlOf(message: Message, { maxTtlSeconds, failureTtlSeconds }: CacheBounds): number {
  const { rcode, answers, authorities, truncated } = message;
  if (truncated) return 0;
  if (rcode === responseCode.serverFailure) return failureTtlSeconds;
  if (rcode !== responseCode.noError && rcode !== responseCode.nameError) return 0;
  if (hasRecords(message)) return Math.min(maxTtlSeconds, ...answers.map(({ ttl }) => ttl));
  const authority = authorities.find(({ type }) => type === recordType.SOA);
  return authority === undefined ? 0 : Math.min(maxTtlSeconds, negativeTtl(authority), ...answers.map(({ ttl }) => ttl));
}

const sizeOf = (key: string, { answers, authorities, additionals }: Message): number =>
  [answers, authorities, additionals]
    .flat()
    .reduce((sum, { name, data }) => sum + name.length + data.length + recordOverhead, key.length + 400);
