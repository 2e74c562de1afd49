/** Copies of the resources that some quota counts, as quotas name them. */
import {
  type Client,
  type ControllerLog,
  type DiscoveredResource,
  type Informer,
  type InformerLease,
  type InformerSet,
  loggedError,
} from "@coxswain/client";
import { DisposableStack } from "@coxswain/machinery";
import { resourcesWith } from "../shared/discovery/discovered-resources.ts";
import { followOwnership } from "../shared/discovery/follow-ownership.ts";
import { Rediscovery } from "../shared/discovery/rediscovery.ts";
import { whenSynced } from "../shared/tasks/task-waits.ts";

interface Counted {
  readonly version: string;
  readonly lease: InformerLease;
  readonly subscriptions: Disposable;
}

export interface CountedOptions {
  readonly client: Client;
  readonly informers: InformerSet;
  /** Something in this namespace has come or gone. */
  changed(namespace: string): void;
}

/** Resources that are not served are looked up again only so often. */
const rediscoverMs = 30_000;

export class CountedResources implements Disposable {
  readonly #options: CountedOptions;
  readonly #counted = new Map<string, Counted>();
  readonly #rediscovery: Rediscovery;
  #resources: readonly DiscoveredResource[] = [];
  #discoveredAt = Number.NEGATIVE_INFINITY;

  constructor(options: CountedOptions) {
    this.#options = options;
    this.#rediscovery = new Rediscovery(options.client.clock);
  }

  /** Undefined when the server has no such resource in namespaces. */
  async copyOf(group: string, resource: string, signal: AbortSignal): Promise<Informer | undefined> {
    const key = `${resource}.${group}`;
    const known = this.#counted.get(key);
    if (known !== undefined) return await whole(known, signal);
    const found = await this.#find(group, resource, signal);
    if (found === undefined) return undefined;
    const begun = this.#counted.get(key) ?? this.#begin(key, found);
    return await whole(begun, signal);
  }

  /** Until the signal is aborted, ends the copies of what is not served any more, or in another version by now. Never rejects. */
  async follow(log: ControllerLog, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#rediscovery.next(signal);
      if (signal.aborted) return;
      if (this.#counted.size === 0) continue;
      await this.#review(signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ error: loggedError(error) }, "failed to discover resources");
      });
    }
  }

  [Symbol.dispose](): void {
    this.#rediscovery[Symbol.dispose]();
    for (const key of [...this.#counted.keys()]) this.#end(key);
  }

  async #review(signal: AbortSignal): Promise<void> {
    const failed = await this.#discover(signal);
    const served = new Map(this.#resources.map(({ group, resource, version }) => [`${resource}.${group}`, version]));
    for (const [key, { version, lease }] of this.#counted) {
      const { group } = lease.informer.ref;
      if (served.get(key) !== version && !failed.some((one) => one.group === group && one.version === version)) this.#end(key);
    }
  }

  async #find(group: string, resource: string, signal: AbortSignal): Promise<DiscoveredResource | undefined> {
    const matches = (one: DiscoveredResource) => one.group === group && one.resource === resource;
    if (!this.#resources.some(matches) && this.#options.client.clock.monotonic() - this.#discoveredAt >= rediscoverMs)
      await this.#discover(signal);
    return this.#resources.find(matches);
  }

  /** Resolves with what could not be counted. */
  async #discover(signal: AbortSignal): Promise<readonly { readonly group: string; readonly version: string }[]> {
    const { client } = this.#options;
    this.#discoveredAt = client.clock.monotonic();
    const discovered = await client.discover({ signal });
    this.#resources = resourcesWith(discovered, ["create", "list", "watch", "delete"]).filter(({ namespaced }) => namespaced);
    return discovered.failed;
  }

  #begin(key: string, { group, version, resource, kind, namespaced }: DiscoveredResource): Counted {
    const ref = { group, version, resource, kind, namespaced };
    // As the garbage collector's, so that both share one copy.
    const lease = followOwnership(this.#options.informers, ref);
    const subscriptions = new DisposableStack();
    subscriptions.use(
      lease.informer.subscribe(({ type, object }) => {
        if (type !== "updated") this.#options.changed(object.metadata?.namespace ?? "");
      }),
    );
    // Its definition may have gone, or the version.
    subscriptions.use(lease.informer.onFreshness(({ state }) => state === "stale" && this.#rediscovery.hint()));
    const counted = { version, lease, subscriptions };
    this.#counted.set(key, counted);
    return counted;
  }

  /** Quotas that count it are reconciled, and look it up again. */
  #end(key: string): void {
    const { lease, subscriptions } = this.#counted.get(key) ?? {};
    this.#counted.delete(key);
    subscriptions?.[Symbol.dispose]();
    const namespaces = new Set(lease?.informer.lister.list().map(({ metadata }) => metadata?.namespace ?? ""));
    lease?.[Symbol.dispose]();
    for (const namespace of namespaces) this.#options.changed(namespace);
  }
}

async function whole({ lease: { informer } }: Counted, signal: AbortSignal): Promise<Informer> {
  if (!informer.hasSynced && !(await whenSynced([informer], signal))) throw signal.reason;
  return informer;
}
