/** Watches the metadata of every resource that discovery lists, as resources are added and removed. */
import {
  type Change,
  type Clock,
  type DiscoveredResource,
  type InformerLease,
  type InformerSet,
  type ResourceRef,
  sleep,
} from "@coxswain/client";
import { followOwnership } from "../shared/discovery/follow-ownership.ts";

export interface MonitorsOptions {
  readonly informers: InformerSet;
  changed(ref: ResourceRef, change: Change): void;
  /** This resource is no longer watched. */
  ended(ref: ResourceRef): void;
}

const initialSyncTimeoutMs = 30_000;

interface Monitor {
  readonly ref: ResourceRef;
  readonly lease: InformerLease;
  readonly subscription: Disposable;
}

export class Monitors implements Disposable {
  readonly #options: MonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();

  constructor(options: MonitorsOptions) {
    this.#options = options;
  }

  /** Watches these from now on, and of what it watched before only what `keep` says. */
  follow(resources: readonly DiscoveredResource[], keep: (ref: ResourceRef) => boolean): void {
    const wanted = new Map(resources.map((resource) => [keyOf(resource), resource]));
    for (const [key, { ref }] of this.#monitors) if (!wanted.has(key) && !keep(ref)) this.#end(key);
    for (const [key, resource] of wanted) if (!this.#monitors.has(key)) this.#begin(key, resource);
  }

  /** Resolves once what is watched now has been seen whole, or when that takes too long: the rest must not wait for it. */
  async seen(clock: Clock, signal: AbortSignal): Promise<void> {
    const all = Array.from(this.#monitors.values(), ({ lease }) => lease.informer.synced);
    const over = new AbortController();
    const timeout = sleep(clock, initialSyncTimeoutMs, AbortSignal.any([signal, over.signal])).catch(() => undefined);
    await Promise.race([Promise.allSettled(all), timeout]);
    over.abort();
  }

  /** Whether more may have happened somewhere than has been seen. */
  get isBlind(): boolean {
    return this.#monitors.values().some(({ lease }) => lease.informer.freshness.state !== "fresh");
  }

  [Symbol.dispose](): void {
    for (const { lease, subscription } of this.#monitors.values()) {
      subscription[Symbol.dispose]();
      lease[Symbol.dispose]();
    }
    this.#monitors.clear();
  }

  #begin(key: string, { group, version, resource, kind, namespaced }: DiscoveredResource): void {
    const ref: ResourceRef = { group, version, resource, kind, namespaced };
    const lease = followOwnership(this.#options.informers, ref);
    const subscription = lease.informer.subscribe((change) => this.#options.changed(ref, change));
    this.#monitors.set(key, { ref, lease, subscription });
  }

  #end(key: string): void {
    const monitor = this.#monitors.get(key);
    if (monitor === undefined) return;
    this.#monitors.delete(key);
    monitor.subscription[Symbol.dispose]();
    monitor.lease[Symbol.dispose]();
    this.#options.ended(monitor.ref);
  }
}

const keyOf = ({ group, version, resource }: ResourceRef): string => `${group}/${version}/${resource}`;
