/**
 * Requests that would block the main thread are served by another one, a few at a time. It
 * is started when the first of them comes, and ends when none has come for a while.
 */
import { type Clock, internalError, type Timer, timeout, tooManyRequests } from "@coxswain/machinery";
import type { AuditRecord } from "../contracts/audit.ts";
import type { Exchange } from "../contracts/exchange.ts";
import type { Reply } from "../contracts/http.ts";
import type { Offload } from "../contracts/offload.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { defaultRequestTimeoutMs } from "../contracts/serving-options.ts";
import { bytesReply } from "../http/exchange.ts";
import { errorOf, type OffloadJob, ownBytes, type Served } from "./protocol.ts";

/** Under way at a time: one may wait for a webhook while another computes. */
const maxConcurrent = 2;
/** Of bodies that wait for their turn: of all users, and of one. */
const maxWaitingBytes = { all: 96 * 1024 * 1024, each: 48 * 1024 * 1024 };
/** A restart takes a few tenths of a second. */
const idleMs = 5 * 60_000;

/** Who does the work: a thread. */
export interface OffloadWorker extends Disposable {
  /** Whether it takes no more work. */
  readonly ended: boolean;
  serve(job: OffloadJob): Promise<Served>;
  /** Stops at once; what is under way fails with the reason. */
  end(reason: Error): void;
}

export class Offloader implements Offload, Disposable {
  readonly #clock: Clock;
  readonly #start: () => OffloadWorker;
  readonly #maxRequestMs: number;
  /** By user; whose turn it is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** Jobs under way in each thread. The one that takes new work may have none. */
  readonly #under = new Map<OffloadWorker, number>();
  #busy = 0;
  #thread: OffloadWorker | undefined;
  #idle: Timer | undefined;
  #closed = false;

  /** @param maxRequestMs as long as the server lets a request take */
  constructor(start: () => OffloadWorker, clock: Clock, maxRequestMs = defaultRequestTimeoutMs) {
    this.#clock = clock;
    this.#start = start;
    this.#maxRequestMs = maxRequestMs;
  }

  /** The answer; what it warns of replaces what the request was warned of so far. @throws 429 when too much is waiting, 504 */
  async serve(exchange: Exchange, info: ResourceRequest): Promise<Reply> {
    await this.#turn(exchange.user.name, exchange.body.byteLength);
    try {
      const { outcome, warnings, audit } = await this.#run(jobOf(exchange, info));
      exchange.warnings.splice(0, Number.POSITIVE_INFINITY, ...warnings);
      if (exchange.audit !== undefined && audit !== undefined) takeOver(exchange.audit, audit);
      if (!outcome.ok) throw errorOf(outcome.failure);
      const { status, contentType, headers, bytes } = outcome.value;
      return { ...bytesReply(status, contentType, bytes), headers };
    } finally {
      this.#next();
    }
  }

  /** What comes from now on is for a new thread: what the present one was started with has changed. */
  renew(): void {
    const old = this.#thread;
    this.#thread = undefined;
    if (old !== undefined && !this.#under.has(old)) old[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#idle?.[Symbol.dispose]();
    this.#thread?.[Symbol.dispose]();
    for (const thread of this.#under.keys()) thread[Symbol.dispose]();
    for (const queue of this.#waiting.values()) for (const { begin } of queue) begin();
    this.#waiting.clear();
  }

  async #turn(user: string, bytes: number): Promise<void> {
    if (this.#busy < maxConcurrent) {
      this.#busy++;
      return;
    }
    const own = this.#waiting.get(user) ?? [];
    if (bytesOf([own]) + bytes > maxWaitingBytes.each || bytesOf(this.#waiting.values()) + bytes > maxWaitingBytes.all)
      throw tooManyRequests("Too many requests, please try again later.", 1);
    this.#waiting.set(user, own);
    await new Promise<void>((begin) => own.push({ bytes, begin }));
  }

  /** Whoever is done gives its place to the next, of one user after another. */
  #next(): void {
    for (const [user, [next, ...others]] of this.#waiting) {
      this.#waiting.delete(user);
      if (others.length > 0) this.#waiting.set(user, others);
      next?.begin();
      return;
    }
    if (--this.#busy > 0 || this.#closed) return;
    this.#idle = this.#clock.schedule(idleMs, () => {
      this.#thread?.[Symbol.dispose]();
      this.#thread = undefined;
    });
    this.#idle.unref();
  }

  /**
   * A thread that does not answer in time is no good to those behind it either: it gets no more work, and ends with what
   * else is under way in it, which has its own time.
   */
  async #run(job: OffloadJob): Promise<Served> {
    if (this.#closed) throw internalError("the server is closing");
    this.#idle?.[Symbol.dispose]();
    if (this.#thread === undefined || this.#thread.ended) this.#thread = this.#start();
    const thread = this.#thread;
    this.#under.set(thread, (this.#under.get(thread) ?? 0) + 1);
    const late = Promise.withResolvers<never>();
    const tookTooLong = timeout("request did not complete within the allotted timeout");
    using _deadline = this.#clock.schedule(this.#maxRequestMs, () => {
      if (this.#thread === thread) this.#thread = undefined;
      late.reject(tookTooLong);
    });
    try {
      return await Promise.race([thread.serve(job), late.promise]);
    } finally {
      const others = (this.#under.get(thread) ?? 1) - 1;
      if (others > 0) this.#under.set(thread, others);
      else {
        this.#under.delete(thread);
        if (this.#thread !== thread) thread.end(tookTooLong);
      }
    }
  }
}

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

function bytesOf(queues: Iterable<readonly Waiting[]>): number {
  let sum = 0;
  for (const queue of queues) for (const { bytes } of queue) sum += bytes;
  return sum;
}

/** What was annotated here before the thread began again is there, too. */
function takeOver(own: AuditRecord, { annotations, requestObject, responseObject, object, status }: AuditRecord): void {
  for (const [key, value] of annotations) own.annotations.set(key, value);
  Object.assign(own, { requestObject, responseObject, object, status });
}

function jobOf({ request, body, user, requestId, audit }: Exchange, info: ResourceRequest): OffloadJob {
  const { method, path, query, headers, remoteAddress, http1 } = request;
  // Headers of HTTP/2 carry more than can be handed over.
  return {
    request: { method, path, query, headers: { ...headers }, remoteAddress, http1 },
    body: ownBytes(body),
    info,
    user,
    requestId,
    audit,
  };
}
