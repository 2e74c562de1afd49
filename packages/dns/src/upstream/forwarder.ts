/** Questions that others answer: whom to ask, how many at a time, and what is remembered of their answers. */
import { type Clock, messageOf, type RandomSource, type Timer } from "@coxswain/machinery";
import { ClientShares } from "../limits/client-shares.ts";
import { limitedLog } from "../limits/limited-log.ts";
import { type Header, type Message, type Question, responseCode } from "../message/message.ts";
import { isWithin, lowerCase } from "../message/name.ts";
import { AnswerCache, type CacheBounds, defaultCacheBounds } from "./answer-cache.ts";
import { type Exchange, exchange as exchangeWith, type UpstreamQuestion } from "./exchange.ts";
import { addressText, type ServerAddress } from "./server-address.ts";

/** Whoever is asked for names within a zone. */
export interface ForwardZone {
  /** In lower case, with its last dot; `.` for all names. */
  readonly zone: string;
  readonly servers: readonly ServerAddress[];
}

/** Whom a forwarder asks, and within which bounds. */
export interface ForwarderOptions {
  /** The longest zone counts. */
  readonly zones: readonly ForwardZone[];
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: ForwarderLog;
  readonly cache?: CacheBounds;
  /** Questions that wait at a time, of one client as many as are free; further ones are refused. Default: 1000. */
  readonly maxConcurrent?: number;
  /** Milliseconds for one attempt. Default: 2000. */
  readonly attemptMs?: number;
  /** And for all. Default: 5000. */
  readonly timeoutMs?: number;
  readonly exchange?: Exchange;
}

/** Where a forwarder logs: a subset of pino's logger. */
export interface ForwarderLog {
  warn(fields: object, message: string): void;
}

/** What of a question says how it is asked. */
export type AskedFlags = Pick<Header, "recursionDesired" | "checkingDisabled" | "authenticData"> & { readonly dnssecOk: boolean };

/** What is counted of it. */
export interface ForwarderCounts {
  readonly cache: AnswerCache["counts"];
  readonly cacheSize: number;
  readonly cacheBytes: number;
  /** Questions that wait, those that wait with others, too. */
  readonly concurrent: number;
  readonly rejected: number;
  readonly requests: number;
  readonly failures: number;
}

const emptyAnswer: Message = {
  id: 0,
  isResponse: true,
  opcode: 0,
  authoritative: false,
  truncated: false,
  recursionDesired: false,
  recursionAvailable: false,
  authenticData: false,
  checkingDisabled: false,
  rcode: 0,
  questions: [],
  answers: [],
  authorities: [],
  additionals: [],
  edns: undefined,
};

/** Asks other name servers and remembers what they say. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #zones: readonly ForwardZone[];
  readonly #cache: AnswerCache;
  readonly #exchange: Exchange;
  readonly #shares: ClientShares;
  /** Whoever asks the same as another who waits, waits with it: a loop of forwarders ends here, too. */
  readonly #waiting = new Map<string, Promise<Message>>();
  /** Failures since the last answer, by address. */
  readonly #failures = new Map<string, number>();
  /** By address, too: names that are slow to be found are failures at will. */
  readonly #warnings = new Map<string, (fields: object) => void>();
  readonly #stopped = new AbortController();
  /** Those that ask this server what they are asked. */
  readonly #loops = new Set<string>();
  #counts = { rejected: 0, requests: 0, failures: 0 };

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#zones = options.zones.toSorted((a, b) => b.zone.length - a.zone.length);
    this.#cache = new AnswerCache(options.clock, options.cache ?? defaultCacheBounds);
    this.#exchange = options.exchange ?? exchangeWith;
    this.#shares = new ClientShares(options.maxConcurrent ?? 1000);
  }

  get counts(): ForwarderCounts {
    return {
      ...this.#counts,
      cache: this.#cache.counts,
      cacheSize: this.#cache.size,
      cacheBytes: this.#cache.bytes,
      concurrent: this.#shares.total,
    };
  }

  /** Answers from memory are there at once. It never rejects: failures are answers, too. */
  ask(question: Question, flags: AskedFlags, client: string): Message | Promise<Message> {
    const name = lowerCase(question.name);
    const key = `${name} ${question.type} ${question.class} ${flags.dnssecOk} ${flags.checkingDisabled} ${flags.recursionDesired}`;
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const zone = this.#zones.find((one) => isWithin(name, one.zone));
    if (zone === undefined || zone.servers.length === 0 || this.#stopped.signal.aborted) return failure(responseCode.serverFailure);
    if (!this.#shares.acquire(client)) {
      this.#counts.rejected++;
      return failure(responseCode.refused);
    }
    const asking = this.#waiting.get(key) ?? this.#begin(key, zone, { question, ...flags });
    return asking.finally(() => this.#shares.release(client));
  }

  #begin(key: string, zone: ForwardZone, asked: UpstreamQuestion): Promise<Message> {
    const asking = this.#ask(zone, asked)
      .then((answer) => {
        this.#cache.set(key, answer);
        return answer;
      })
      .finally(() => this.#waiting.delete(key));
    this.#waiting.set(key, asking);
    return asking;
  }

  async #ask({ servers }: ForwardZone, asked: UpstreamQuestion): Promise<Message> {
    const { clock, attemptMs = 2000, timeoutMs = 5000 } = this.#options;
    const until = clock.monotonic() + timeoutMs;
    for (const server of this.#inOrder(servers)) {
      const left = until - clock.monotonic();
      if (left <= 0 || this.#stopped.signal.aborted) break;
      const answer = await this.#attempt(server, asked, Math.min(attemptMs, left));
      if (answer !== undefined) return answer;
    }
    return failure(responseCode.serverFailure);
  }

  async #attempt(server: ServerAddress, asked: UpstreamQuestion, ms: number): Promise<Message | undefined> {
    const { clock } = this.#options;
    if (this.#stopped.signal.aborted) return undefined;
    const address = addressText(server);
    const stop = new AbortController();
    const stopNow = (): void => stop.abort(this.#stopped.signal.reason);
    this.#stopped.signal.addEventListener("abort", stopNow, { once: true });
    const timer: Timer = clock.schedule(ms, () => stop.abort(new Error("the name server does not answer")));
    this.#counts.requests++;
    try {
      const answer = await this.#exchange(server, asked, stop.signal);
      this.#failures.set(address, 0);
      return answer;
    } catch (error) {
      const before = this.#failures.get(address) ?? 0;
      this.#failures.set(address, before + 1);
      this.#counts.failures++;
      // Once, until it answers again: each question would fill the log.
      if (before === 0 && !this.#stopped.signal.aborted) this.#warn(address, { error: messageOf(error) });
      return undefined;
    } finally {
      timer[Symbol.dispose]();
      this.#stopped.signal.removeEventListener("abort", stopNow);
    }
  }

  #warn(address: string, fields: object): void {
    const { clock, log } = this.#options;
    const warn = this.#warnings.get(address) ?? limitedLog(clock, (more) => log.warn(more, "failed to ask a name server"));
    this.#warnings.set(address, warn);
    warn({ server: address, ...fields });
  }

  /** At random, those that have failed last; the best is asked twice, because packets get lost. */
  #inOrder(servers: readonly ServerAddress[]): ServerAddress[] {
    const { random } = this.#options;
    const failures = (server: ServerAddress): number => Math.min(this.#failures.get(addressText(server)) ?? 0, 2);
    const order = servers
      .filter((server) => !this.#loops.has(addressText(server)))
      .map((server) => ({ server, rank: failures(server) + random.next() }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ server }) => server);
    return [...order, ...order.slice(0, 1)];
  }

  /** Asks every server once; those for which `cameBack` then says so are not asked any more, and are returned. */
  async excludeLoops(question: Question, cameBack: () => boolean): Promise<readonly ServerAddress[]> {
    const all = new Map(this.#zones.flatMap(({ servers }) => servers.map((one) => [addressText(one), one] as const)));
    const found: ServerAddress[] = [];
    for (const [address, server] of all) {
      const asked = { question, recursionDesired: true, checkingDisabled: false, authenticData: false, dnssecOk: false };
      await this.#attempt(server, asked, this.#options.attemptMs ?? 2000);
      if (!cameBack()) continue;
      this.#loops.add(address);
      found.push(server);
    }
    return found;
  }

  /** Who waits is answered with a failure. */
  [Symbol.dispose](): void {
    this.#stopped.abort(new Error("the DNS server is stopped"));
  }
}

const failure = (rcode: number): Message => ({ ...emptyAnswer, rcode });
