/** Copies of the resources that some quota counts, as quotas name them. */
import type { Client, DiscoveredResource, InformerLease, InformerSet, KubeObject, Lister } from "@coxswain/client";
import { resourcesWith } from "../discovered-resources.ts";
import { onlyOwnership } from "../garbage-collector/node.ts";
import { whenSynced } from "../task-waits.ts";

interface Counted {
  readonly lease: InformerLease;
  readonly subscription: Disposable;
}

export interface CountedOptions {
  readonly client: Client;
  readonly informers: InformerSet;
  /** Something in this namespace has come or gone. */
  changed(namespace: string): void;
}

/** What nobody serves is asked for anew only so often. */
const rediscoverMs = 30_000;

export class CountedResources implements Disposable {
  readonly #options: CountedOptions;
  readonly #counted = new Map<string, Counted>();
  #resources: readonly DiscoveredResource[] = [];
  #discoveredAt = Number.NEGATIVE_INFINITY;

  constructor(options: CountedOptions) {
    this.#options = options;
  }

  /** Undefined when the server has no such resource in namespaces. */
  async listerOf(group: string, resource: string, signal: AbortSignal): Promise<Lister | undefined> {
    const key = `${resource}.${group}`;
    const known = this.#counted.get(key);
    if (known !== undefined) return await whole(known, signal);
    const found = await this.#find(group, resource, signal);
    if (found === undefined) return undefined;
    const begun = this.#counted.get(key) ?? this.#begin(key, found);
    return await whole(begun, signal);
  }

  [Symbol.dispose](): void {
    for (const { lease, subscription } of this.#counted.values()) {
      subscription[Symbol.dispose]();
      lease[Symbol.dispose]();
    }
  }

  async #find(group: string, resource: string, signal: AbortSignal): Promise<DiscoveredResource | undefined> {
    const matches = (one: DiscoveredResource) => one.group === group && one.resource === resource;
    const { client } = this.#options;
    if (!this.#resources.some(matches) && client.clock.monotonic() - this.#discoveredAt >= rediscoverMs) {
      this.#discoveredAt = client.clock.monotonic();
      const discovered = await client.discover({ signal });
      this.#resources = resourcesWith(discovered, ["create", "list", "watch", "delete"]).filter(({ namespaced }) => namespaced);
    }
    return this.#resources.find(matches);
  }

  #begin(key: string, { group, version, resource, kind, namespaced }: DiscoveredResource): Counted {
    const ref = { group, version, resource, kind, namespaced };
    // As the garbage collector's, so that both share one copy.
    const lease = this.#options.informers.use<KubeObject>(ref, { metadataOnly: true, transform: onlyOwnership });
    const subscription = lease.informer.subscribe(({ type, object }) => {
      if (type !== "updated") this.#options.changed(object.metadata?.namespace ?? "");
    });
    const counted = { lease, subscription };
    this.#counted.set(key, counted);
    return counted;
  }
}

async function whole({ lease: { informer } }: Counted, signal: AbortSignal): Promise<Lister> {
  if (!informer.hasSynced && !(await whenSynced([informer], signal))) throw signal.reason;
  return informer.lister;
}
