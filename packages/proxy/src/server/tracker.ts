/** What informers say of Services, EndpointSlices, the Node and ServiceCIDRs, and what of it has changed since it was last asked. */
import type { api, Change } from "@coxswain/client";
import type { NodeState } from "../contracts/configuration.ts";
import { familyOfIp } from "../contracts/ip-family.ts";
import type { ObservedService } from "../ruleset/service-rules.ts";

/** Since the last time. */
export interface Changes {
  /** The node or what all rules depend on: nothing can be kept. */
  readonly everything: boolean;
  /** Services by namespace and name, themselves or their EndpointSlices. */
  readonly services: ReadonlySet<string>;
}

interface Tracked {
  service: api.coreV1.Service | undefined;
  readonly slices: Map<string, api.discoveryV1.EndpointSlice>;
}

/** The label that says to which Service a slice belongs. */
const serviceNameLabel = "kubernetes.io/service-name";
const zoneLabel = "topology.kubernetes.io/zone";

/** Keeps what is there; asks nobody. */
export class Tracker {
  readonly #tracked = new Map<string, Tracked>();
  readonly #serviceCidrs = new Map<string, readonly string[]>();
  #node: api.coreV1.Node | undefined;
  #everything = true;
  #changed = new Set<string>();

  /** The node, as long as it is there. */
  get node(): api.coreV1.Node | undefined {
    return this.#node;
  }

  /** Services with their slices, by namespace and name. */
  services(): ReadonlyMap<string, ObservedService> {
    const found = new Map<string, ObservedService>();
    for (const [key, { service, slices }] of this.#tracked)
      if (service !== undefined) found.set(key, { service, slices: slices.values().toArray() });
    return found;
  }

  /** All that rules need of the node. */
  nodeState(interfaceAddresses: readonly string[]): NodeState {
    const node = this.#node;
    const internal = (node?.status?.addresses ?? []).filter(({ type }) => type === "InternalIP");
    return {
      zone: node?.metadata?.labels?.[zoneLabel],
      podCidrs: node?.spec?.podCIDRs ?? [],
      nodeIps: Object.fromEntries(
        internal.flatMap(({ address }) => {
          const family = familyOfIp(address);
          return family === undefined ? [] : [[family, address]];
        }),
      ),
      interfaceAddresses,
      serviceCidrs: [...this.#serviceCidrs.values()].flat(),
    };
  }

  /** True when there is something to write. */
  onService(change: Change<api.coreV1.Service>): boolean {
    const { metadata } = change.object;
    const key = `${metadata?.namespace}/${metadata?.name}`;
    if (change.type === "updated" && isSameForRules(change.previous, change.object)) return false;
    this.#entry(key).service = change.type === "deleted" ? undefined : change.object;
    return this.#hasChanged(key);
  }

  /** True when there is something to write. A slice that moves to another Service changes both. */
  onEndpointSlice(change: Change<api.discoveryV1.EndpointSlice>): boolean {
    const key = sliceOwner(change.object);
    const name = change.object.metadata?.name ?? "";
    if (change.type === "updated") {
      const { previous, object } = change;
      const was = sliceOwner(previous);
      if (
        was === key &&
        isSame([previous.addressType, previous.ports, previous.endpoints], [object.addressType, object.ports, object.endpoints])
      )
        return false;
      if (was !== undefined && was !== key) this.#removeSlice(was, name);
    }
    if (key === undefined) return this.#changed.size > 0;
    if (change.type === "deleted") return this.#removeSlice(key, name);
    this.#entry(key).slices.set(name, change.object);
    return this.#hasChanged(key);
  }

  /** True when rules depend on what has changed. */
  onNode(change: Change<api.coreV1.Node>): boolean {
    const before = this.nodeState([]);
    this.#node = change.type === "deleted" ? undefined : change.object;
    return this.#changesEverything(!isSame(before, this.nodeState([])));
  }

  /** True when rules depend on what has changed. */
  onServiceCidr(change: Change<api.networkingV1.ServiceCIDR>): boolean {
    const before = this.nodeState([]);
    const { metadata, spec } = change.object;
    const name = metadata?.name ?? "";
    if (change.type === "deleted") this.#serviceCidrs.delete(name);
    else this.#serviceCidrs.set(name, spec?.cidrs ?? []);
    return this.#changesEverything(!isSame(before, this.nodeState([])));
  }

  /** How many Services wait to be written. */
  get pending(): number {
    return this.#changed.size;
  }

  /** What has changed, which then counts as known. */
  takeChanges(): Changes {
    const changes = { everything: this.#everything, services: this.#changed };
    this.#everything = false;
    this.#changed = new Set();
    return changes;
  }

  #entry(key: string): Tracked {
    const entry = this.#tracked.get(key) ?? { service: undefined, slices: new Map() };
    this.#tracked.set(key, entry);
    return entry;
  }

  #removeSlice(key: string, name: string): boolean {
    this.#entry(key).slices.delete(name);
    return this.#hasChanged(key);
  }

  /** Slices of a Service that is not there, or a Service without slices, may stand alone for a time. */
  #hasChanged(key: string): true {
    const entry = this.#tracked.get(key);
    if (entry?.service === undefined && entry?.slices.size === 0) this.#tracked.delete(key);
    this.#changed.add(key);
    return true;
  }

  #changesEverything(changed: boolean): boolean {
    this.#everything ||= changed;
    return changed;
  }
}

function sliceOwner({ metadata }: api.discoveryV1.EndpointSlice): string | undefined {
  const service = metadata?.labels?.[serviceNameLabel] ?? "";
  return service === "" ? undefined : `${metadata?.namespace}/${service}`;
}

const isSameForRules = (a: api.coreV1.Service, b: api.coreV1.Service): boolean =>
  isSame([a.spec, a.status?.loadBalancer], [b.spec, b.status?.loadBalancer]);

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
