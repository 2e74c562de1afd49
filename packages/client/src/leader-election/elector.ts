/** One candidate's view of the Lease, and its single attempts to take or keep it. */
import { type Clock, deepEqual, isConflict } from "@coxswain/machinery";
import type { Client, ResourceClient } from "../contracts/client.ts";
import { leases } from "../resources/built-in.ts";
import { unlessNotFound } from "../rest/object-not-found.ts";
import { heldSpec, holderOf, isSameTerm, type Lease, type LeaseSpec, releasedSpec } from "./lease-record.ts";

export interface ElectorOptions {
  readonly client: Client;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly onSlowPath?: () => void;
}

export type Attempt =
  /** `startedAt`: when the request was sent that took or renewed it. No other candidate counts from an earlier moment. */
  { readonly held: true; readonly lease: Lease; readonly startedAt: Moment } | { readonly held: false; readonly holder: string };

/** One moment by both clocks of this machine. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const momentOf = (clock: Clock): Moment => ({ monotonic: clock.monotonic(), wall: clock.now() });

/**
 * The rules are client-go's: whether a lease has expired is measured on the local clock from the last change that was seen
 * here, never by comparing another machine's timestamps; and of several that try at once the resourceVersion lets one win.
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #clock: Clock;
  readonly #leases: ResourceClient<Lease>;
  /** As the server last gave it. */
  #lease: Lease | undefined;
  /** When what the lease says was last seen to change; by the monotonic clock. */
  #changedAt = 0;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#clock = options.client.clock;
    this.#leases = options.client.resource(leases, options.lease.namespace);
  }

  /** As last seen; undefined before that, or when there was none. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /**
   * `term`: the lease with which the term began that is to go on. Where another has begun since, or the Lease is gone, it is
   * not held, whoever holds it now.
   * @throws StatusError, a conflict when another candidate was faster; ConnectionError, and then it may be held nevertheless
   */
  async takeOrRenew(signal: AbortSignal, term?: Lease): Promise<Attempt> {
    if (this.#lease !== undefined && this.#isMine(this.#lease) && this.#isValid(this.#lease)) {
      try {
        return await this.#hold(this.#lease, signal);
      } catch {
        signal.throwIfAborted();
        this.#options.onSlowPath?.();
      }
    }
    const lease = await this.#read(signal);
    if (term !== undefined && (lease === undefined || !isSameTerm(lease, term)))
      return { held: false, holder: lease === undefined ? "" : holderOf(lease) };
    if (lease === undefined) return await this.#create(signal);
    if (holderOf(lease) !== "" && !this.#isMine(lease) && this.#isValid(lease)) return { held: false, holder: holderOf(lease) };
    return await this.#hold(lease, signal);
  }

  /** Lets the next candidate take it at once; does nothing when another candidate holds it by now. @throws as takeOrRenew */
  async release(signal: AbortSignal): Promise<void> {
    const lease = await this.#read(signal);
    if (lease === undefined || !this.#isMine(lease)) return;
    const spec = releasedSpec(lease.spec, this.#clock.now());
    try {
      this.#observe(await this.#leases.update({ ...lease, spec }, { signal }), this.#clock.monotonic());
    } catch (error) {
      // A renewal that was given up on may have arrived in between.
      if (!isConflict(error)) throw error;
      await this.release(signal);
    }
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { name } = this.#options.lease;
    const lease = await unlessNotFound(this.#leases.get(name, { signal }), leases, name);
    if (lease === undefined) this.#lease = undefined;
    else this.#observe(lease, this.#clock.monotonic());
    return lease;
  }

  async #create(signal: AbortSignal): Promise<Attempt> {
    const { namespace, name } = this.#options.lease;
    const startedAt = momentOf(this.#clock);
    const lease = await this.#leases.create({ metadata: { namespace, name }, spec: this.#spec(undefined) }, { signal });
    return this.#won(lease, startedAt);
  }

  async #hold(before: Lease, signal: AbortSignal): Promise<Attempt> {
    const startedAt = momentOf(this.#clock);
    const lease = await this.#leases.update({ ...before, spec: this.#spec(before) }, { signal });
    return this.#won(lease, startedAt);
  }

  #won(lease: Lease, startedAt: Moment): Attempt {
    this.#observe(lease, startedAt.monotonic);
    return { held: true, lease, startedAt };
  }

  #spec(before: Lease | undefined): LeaseSpec {
    const { identity, leaseDurationMs } = this.#options;
    return heldSpec(before?.spec, { identity, durationMs: leaseDurationMs, now: this.#clock.now() });
  }

  /** What only its metadata changed in was not renewed. */
  #observe(lease: Lease, at: number): void {
    if (this.#lease === undefined || !deepEqual(this.#lease.spec, lease.spec)) this.#changedAt = at;
    this.#lease = lease;
  }

  #isMine(lease: Lease): boolean {
    return holderOf(lease) === this.#options.identity;
  }

  #isValid(lease: Lease): boolean {
    return this.#clock.monotonic() < this.#changedAt + (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
  }
}
