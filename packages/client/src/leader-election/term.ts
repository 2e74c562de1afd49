/** The time during which one candidate leads, and what keeps it from acting beyond. */
import type { Clock, Timer } from "@coxswain/machinery";
import type { Client } from "../contracts/client.ts";
import { type Moment, momentOf } from "./elector.ts";
import { fencedTransport, LeadershipLostError } from "./fenced-transport.ts";
import type { Lease } from "./lease-record.ts";

/** The time during which one candidate leads, as its work sees it. */
export interface Term {
  readonly identity: string;
  /** Aborted when the work is to end: the caller asked for it, or the lease is lost. */
  readonly signal: AbortSignal;
  /**
   * Greater for each later term of the same cluster: the resourceVersion of the write that began it, which unlike
   * leaseTransitions goes on growing when the Lease is deleted. Who keeps the greatest token seen, beside the
   * thing that is written, can refuse a leader of the past.
   */
  readonly token: bigint;
  /** How often the lease had changed hands when this term began. */
  readonly transitions: number;
  /** By this machine's clocks the lease may be another candidate's in a moment, or it is lost already. */
  readonly isOver: boolean;
  /**
   * A client whose writes are refused with LeadershipLostError once the term is over, and given up when it ends while
   * they are under way. It keeps a leader that slept, or lost the network, from acting on what it believed. It cannot call
   * back a request that the network delivers late: against that let each write carry the resourceVersion that it is based
   * on, or check the token where it is written. Closing it leaves the given client open.
   */
  fenced(client: Client): Client;
}

export interface TermOptions {
  readonly clock: Clock;
  readonly identity: string;
  /** How long it goes on after its last renewal; shorter than others wait. */
  readonly renewDeadlineMs: number;
}

export class RunningTerm implements Term {
  readonly identity: string;
  readonly token: bigint;
  readonly transitions: number;
  readonly #clock: Clock;
  readonly #renewDeadlineMs: number;
  readonly #stopping = new AbortController();
  readonly #over = new AbortController();
  #renewedAt: Moment;
  #timer: Timer | undefined;

  constructor({ clock, identity, renewDeadlineMs }: TermOptions, lease: Lease, renewedAt: Moment) {
    this.identity = identity;
    this.token = BigInt(lease.metadata?.resourceVersion ?? "0");
    this.transitions = lease.spec?.leaseTransitions ?? 0;
    this.#clock = clock;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#renewedAt = renewedAt;
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborted when the term has ended, however it did. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted || this.#remainingMs() <= 0;
  }

  fenced(client: Client): Client {
    return client.with({ transport: fencedTransport(client.transport, this) });
  }

  extend(renewedAt: Moment): void {
    this.#renewedAt = renewedAt;
    this.#arm();
  }

  /** Asks the work to end; the term goes on until it has. */
  stop(reason: unknown): void {
    this.#stopping.abort(reason);
  }

  end(reason: LeadershipLostError): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#over.abort(reason);
    this.#stopping.abort(reason);
  }

  /**
   * Of two clocks that disagree the one counts that is further: the monotonic one stands still while a machine is
   * suspended, and the other may be set back.
   */
  #remainingMs(): number {
    const now = momentOf(this.#clock);
    const elapsed = Math.max(now.monotonic - this.#renewedAt.monotonic, now.wall - this.#renewedAt.wall);
    return this.#renewDeadlineMs - elapsed;
  }

  #arm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#over.signal.aborted) return;
    const remainingMs = this.#remainingMs();
    if (remainingMs <= 0) this.end(new LeadershipLostError(`the lease was not renewed within ${this.#renewDeadlineMs} ms`));
    else this.#timer = this.#clock.schedule(Math.max(1, remainingMs), () => this.#arm());
  }
}
