/** A set of informers as one of several users has it, of whom each starts and ends when it likes. */
import type { Clock, KubeObject } from "@coxswain/machinery";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import type { Informer } from "./informer.ts";
import { allSynced, type InformerLease, type InformerSet, type SharedInformerOptions } from "./informer-set.ts";
import type { Bounds } from "./within.ts";

/**
 * The same informers, but who uses these waits for no others to sync: those of another user may never. They run while the set does;
 * to run this is to wait for the signal.
 */
export const sharedInformers = (set: InformerSet, clock: Clock): InformerSet => new SharedInformers(set, clock);

class SharedInformers implements InformerSet {
  readonly #set: InformerSet;
  readonly #clock: Clock;
  readonly #leases = new Set<InformerLease>();

  constructor(set: InformerSet, clock: Clock) {
    this.#set = set;
    this.#clock = clock;
  }

  use<T extends KubeObject>(ref: ResourceRef<T>, options?: SharedInformerOptions<T>): InformerLease<T> {
    const lease = this.#set.use(ref, options);
    const own = lease as InformerLease<KubeObject> as InformerLease;
    this.#leases.add(own);
    return {
      informer: lease.informer,
      [Symbol.dispose]: () => {
        this.#leases.delete(own);
        lease[Symbol.dispose]();
      },
    };
  }

  run(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  synced(bounds?: Partial<Bounds>): Promise<void> {
    return allSynced(new Set(Array.from(this.#leases, ({ informer }) => informer)), this.#clock, bounds);
  }

  covering(...[resource, namespace]: Parameters<InformerSet["covering"]>): readonly Informer[] {
    return this.#set.covering(resource, namespace);
  }
}
