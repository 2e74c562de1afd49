/**
 * Of several candidates one works at a time. The rules are client-go's, so that both can compete for the same Lease.
 * @see https://kubernetes.io/docs/concepts/architecture/leases/
 */

import type { MetricsRegistry } from "@coxswain/machinery";
import { type Clock, sleep } from "@coxswain/machinery";
import type { Client } from "../contracts/client.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import { type Attempt, Elector } from "./elector.ts";
import { LeadershipLostError } from "./fenced-transport.ts";
import { holderOf, type Lease } from "./lease-record.ts";
import { RunningTerm, type Term } from "./term.ts";

/** Of which Lease a candidate is, how long its terms last, and who is notified. */
export interface LeaderElectionOptions {
  readonly client: Client;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Different for each candidate, and for each start of one: with a uuid in it. */
  readonly identity: string;
  /** Before it ends the candidacy ends; while leading, the work is asked to end. */
  readonly signal: AbortSignal;
  /** How long a candidate waits before taking a lease that was not renewed. Whole seconds; default: 15,000. */
  readonly leaseDurationMs?: number;
  /**
   * How long after its last renewal a leader stops leading; default: 10,000. The ratio of the two is how much faster one
   * machine's clock may run than another's before two could lead at once.
   */
  readonly renewDeadlineMs?: number;
  /** Between attempts; default: 2,000. Candidates wait up to 2.2 times as long, by chance. */
  readonly retryPeriodMs?: number;
  /** Must not throw, as onError. Called with the identity of the observed leader, this candidate too; empty when there is none. */
  readonly onNewLeader?: (identity: string) => void;
  /** Called with attempts that failed; they are repeated. */
  readonly onError?: (error: unknown) => void;
  /** Says about the Lease who became leader and who stopped. */
  readonly events?: EventRecorder;
  readonly metrics?: MetricsRegistry;
}

interface Timing {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** client-go's: candidates wait between one and so many more periods. */
const jitter = 1.2;

/**
 * Waits until this candidate leads, and then works. When the work is done, or was asked to end and has, the lease is
 * released; until then it is renewed.
 * @throws LeadershipLostError when the lease was lost, after the work has ended
 * @throws the signal's reason when it never led; TypeError for options that make no sense; whatever the work throws
 */
export async function runAsLeader<R>(options: LeaderElectionOptions, work: (term: Term) => Promise<R>): Promise<R> {
  const timing = timingOf(options);
  const candidate = new Candidate(options, timing);
  const { lease, startedAt } = await candidate.acquire();
  const term = new RunningTerm({ clock: options.client.clock, identity: options.identity, ...timing }, lease, startedAt);
  const done = new AbortController();
  const renewing = candidate.renew(term, lease, AbortSignal.any([done.signal, term.over]));
  const onAbort = (): void => term.stop(options.signal.reason);
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  candidate.began();
  try {
    const result = await work(term);
    term.over.throwIfAborted();
    return result;
  } catch (error) {
    throw lostDuring(term, error);
  } finally {
    options.signal.removeEventListener("abort", onAbort);
    done.abort();
    await renewing;
    const wasHeld = !term.isOver;
    term.end(new LeadershipLostError("the work of this term is done"));
    candidate.stopped();
    if (wasHeld) await candidate.release();
  }
}

/** Work whose signal was aborted may fail in many ways; the reason of the abort counts. */
function lostDuring({ over }: RunningTerm, error: unknown): unknown {
  if (!over.aborted || error === over.reason || !(over.reason instanceof LeadershipLostError)) return error;
  return new LeadershipLostError(over.reason.message, { cause: error });
}

/** @throws TypeError */
function timingOf({ leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000, identity }: LeaderElectionOptions): Timing {
  if (identity === "") throw new TypeError("the identity is empty");
  if (retryPeriodMs <= 0) throw new TypeError("retryPeriodMs must be greater than 0");
  if (leaseDurationMs < 1000 || leaseDurationMs % 1000 !== 0) throw new TypeError("leaseDurationMs must be whole seconds");
  if (leaseDurationMs <= renewDeadlineMs) throw new TypeError("leaseDurationMs must be greater than renewDeadlineMs");
  if (renewDeadlineMs <= jitter * retryPeriodMs) throw new TypeError(`renewDeadlineMs must be greater than ${jitter} × retryPeriodMs`);
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}

const lossOf = (holder: string, identity: string): string =>
  holder === "" || holder === identity ? "the lease has changed hands since this term began" : `the lease is held by ${holder}`;

class Candidate {
  readonly #options: LeaderElectionOptions;
  readonly #timing: Timing;
  readonly #clock: Clock;
  readonly #elector: Elector;
  readonly #status: { set(value: number): void } | undefined;
  #reported = "";

  constructor(options: LeaderElectionOptions, timing: Timing) {
    const { client, metrics, lease } = options;
    const labels = { name: lease.name };
    this.#options = options;
    this.#timing = timing;
    this.#clock = client.clock;
    this.#status = metrics?.gauge("leader_election_master_status", "1 while this candidate leads, 0 while it waits", labels);
    const slow = metrics?.counter("leader_election_slowpath_total", "Renewals that had to read the lease again first", labels);
    this.#elector = new Elector({ ...options, ...timing, onSlowPath: () => slow?.add() });
    this.#status?.set(0);
  }

  /** @throws the signal's reason */
  async acquire(): Promise<Attempt & { readonly held: true }> {
    const { signal, client } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const attempt = await this.#attempt(signal);
      if (attempt?.held === true && !signal.aborted) return attempt;
      if (attempt?.held === true) await this.release();
      await sleep(this.#clock, this.#timing.retryPeriodMs * (1 + jitter * client.random.next()), signal);
    }
  }

  /** Settles when the signal is aborted; ends the term when another candidate holds the lease, or has held it since. */
  async renew(term: RunningTerm, lease: Lease, signal: AbortSignal): Promise<void> {
    while (await this.#pause(signal)) {
      const attempt = await this.#attempt(signal, lease);
      if (attempt?.held === true) term.extend(attempt.startedAt);
      else if (attempt?.held === false) term.end(new LeadershipLostError(lossOf(attempt.holder, this.#options.identity)));
    }
  }

  /** When it fails, the others wait until the lease expires. */
  async release(): Promise<void> {
    await this.#bounded(new AbortController().signal, (signal) => this.#elector.release(signal));
    this.#reportLeader();
  }

  began(): void {
    this.#status?.set(1);
    this.#recordEvent("became leader");
  }

  stopped(): void {
    this.#status?.set(0);
    this.#recordEvent("stopped leading");
  }

  async #attempt(signal: AbortSignal, term?: Lease): Promise<Attempt | undefined> {
    const attempt = await this.#bounded(signal, (bounded) => this.#elector.takeOrRenew(bounded, term));
    this.#reportLeader();
    return attempt;
  }

  /** So that one request which hangs leaves time for another. Undefined when it failed. */
  async #bounded<R>(signal: AbortSignal, run: (signal: AbortSignal) => Promise<R>): Promise<R | undefined> {
    const late = new AbortController();
    using _ = this.#clock.schedule(this.#timing.renewDeadlineMs / 2, () => late.abort(new Error("the lease's server does not answer")));
    try {
      return await run(AbortSignal.any([signal, late.signal]));
    } catch (error) {
      if (!signal.aborted) this.#options.onError?.(error);
      return undefined;
    }
  }

  async #pause(signal: AbortSignal): Promise<boolean> {
    try {
      await sleep(this.#clock, this.#timing.retryPeriodMs, signal);
      return true;
    } catch {
      return false;
    }
  }

  #reportLeader(): void {
    const { lease } = this.#elector;
    if (lease === undefined || holderOf(lease) === this.#reported) return;
    this.#reported = holderOf(lease);
    this.#options.onNewLeader?.(this.#reported);
  }

  #recordEvent(message: string): void {
    const { events, lease, identity } = this.#options;
    const about = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { ...this.#elector.lease?.metadata, ...lease } };
    events?.record(about, { type: "Normal", reason: "LeaderElection", message: `${identity} ${message}` });
  }
}
