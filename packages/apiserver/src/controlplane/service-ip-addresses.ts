/**
 * An IPAddress object for each cluster IP of each Service, which says whose it is. They come and go with what the Services
 * say; those that somebody else changed or removed are made anew.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/#ip-address-objects
 */
import type { coreV1, networkingV1 } from "@coxswain/api";
import { isNotFound, type KubeObject } from "@coxswain/machinery";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { ServerContext } from "../context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { ipManagedBy, ipManager } from "../effects/core/service/service-ip-allocator.ts";
import { keyOf } from "../storage/served-resource.ts";
import { keepObject, removeObject } from "./keep-object.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

type Service = Readonly<coreV1.Service>;
type IpAddress = Readonly<networkingV1.IPAddress>;

/** How many Services are looked at in one turn of the event loop. */
const together = 64;

export class ServiceIpAddresses implements AsyncDisposable {
  readonly #server: ServerContext;
  readonly #services: ServedResource | undefined;
  readonly #addresses: ServedResource | undefined;
  readonly #loop: ReconcileLoop;
  readonly #subscriptions = new DisposableStack();
  /** What may have to change: an address, and the Service that may have it. */
  #due = new Map<string, ServiceName>();

  constructor(server: ServerContext) {
    this.#server = server;
    this.#services = server.served.find("", "v1", "services");
    this.#addresses = server.served.find("networking.k8s.io", "v1", "ipaddresses");
    this.#loop = new ReconcileLoop({ ...server, what: "IPAddresses of Services" }, () => this.#reconcile());
  }

  /** Follows what happens from now on. */
  start(): void {
    if (this.#services === undefined || this.#addresses === undefined) return;
    const { store } = this.#server;
    const after = store.revision;
    const of = (object: (entry: Entry) => void) => (event: StoreEvent) => {
      if (event.previous !== undefined) object(event.previous);
      if (event.type === "put") object(event.entry);
    };
    const service = of((entry) => this.#look(this.#server.cache.objectOf(entry) as Service));
    const address = of((entry) => this.#lookAt(this.#server.cache.objectOf(entry) as IpAddress));
    this.#subscriptions.use(store.subscribe(this.#services.prefix, { after }, ({ events }) => events.forEach(service)));
    this.#subscriptions.use(store.subscribe(this.#addresses.prefix, { after }, ({ events }) => events.forEach(address)));
  }

  /** Looks at all that is there: what was stored by a server that did not come so far, and what one without these objects made. */
  async repair(): Promise<void> {
    try {
      await this.#lookAtAll();
    } catch (error) {
      this.#server.log.warn({ error }, "failed to look at the IPAddresses of all Services");
    }
  }

  async #lookAtAll(): Promise<void> {
    if (this.#services === undefined || this.#addresses === undefined) return;
    const { store, cache } = this.#server;
    const [services, addresses] = await Promise.all([store.list(this.#services.prefix), store.list(this.#addresses.prefix)]);
    const steps = [
      ...services.entries.map((entry) => () => this.#look(cache.objectOf(entry) as Service)),
      ...addresses.entries.map((entry) => () => this.#lookAt(cache.objectOf(entry) as IpAddress)),
    ];
    for (let i = 0; i < steps.length && !this.#subscriptions.disposed; i += together) {
      for (const step of steps.slice(i, i + together)) step();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  #look({ metadata: { name = "", namespace = "" } = {}, spec }: Service): void {
    for (const ip of clusterIpsOf(spec)) this.#due.set(ip, { name, namespace });
    if (this.#due.size > 0) this.#loop.trigger();
  }

  #lookAt({ metadata, spec }: IpAddress): void {
    if (metadata?.labels?.[ipManagedBy] !== ipManager) return;
    const { name = "", namespace = "" } = spec?.parentRef ?? {};
    const address = metadata?.name ?? "";
    if (!this.#due.has(address)) this.#due.set(address, { name, namespace });
    this.#loop.trigger();
  }

  async #reconcile(): Promise<void> {
    const due = this.#due;
    this.#due = new Map();
    await Promise.all(
      [...due].map(async ([address, service]) => {
        try {
          await this.#settle(address, service);
        } catch (error) {
          if (!this.#due.has(address)) this.#due.set(address, service);
          throw error;
        }
      }),
    );
  }

  async #settle(address: string, { name, namespace }: ServiceName): Promise<void> {
    const [service, found] = await Promise.all([
      this.#get<Service>(this.#services, namespace, name),
      this.#get<IpAddress>(this.#addresses, "", address),
    ]);
    const isOwned = clusterIpsOf(service?.spec).includes(address);
    const wanted = ipAddressFor(address, { name, namespace });
    if (found !== undefined && (isOwned ? !isSame(found, wanted) : isLeft(found, { name, namespace }))) await this.#remove(wanted);
    if (isOwned) await keepObject(this.#server, wanted, () => undefined);
  }

  async #get<T extends Readonly<KubeObject>>(
    resource: ServedResource | undefined,
    namespace: string,
    name: string,
  ): Promise<T | undefined> {
    if (resource === undefined || name === "") return undefined;
    const { entry } = await this.#server.store.get(keyOf(resource, namespace, name));
    return entry === undefined ? undefined : (this.#server.cache.objectOf(entry) as T);
  }

  async #remove(address: Readonly<KubeObject>): Promise<void> {
    try {
      await removeObject(this.#server, address);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

interface ServiceName {
  readonly name: string;
  readonly namespace: string;
}

function clusterIpsOf({ clusterIPs, clusterIP, type }: Readonly<coreV1.ServiceSpec> = {}): readonly string[] {
  if (type === "ExternalName") return [];
  return (clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP])).filter((ip) => ip !== "" && ip !== "None");
}

export const ipAddressFor = (address: string, { name, namespace }: ServiceName): networkingV1.IPAddress & KubeObject => ({
  kind: "IPAddress",
  apiVersion: "networking.k8s.io/v1",
  metadata: {
    name: address,
    labels: { "ipaddress.kubernetes.io/ip-family": address.includes(":") ? "IPv6" : "IPv4", [ipManagedBy]: ipManager },
  },
  spec: { parentRef: { resource: "services", namespace, name } },
});

const isSame = ({ metadata, spec }: IpAddress, wanted: networkingV1.IPAddress): boolean =>
  isOf({ spec }, wanted.spec?.parentRef ?? {}) &&
  Object.entries(wanted.metadata?.labels ?? {}).every(([key, value]) => metadata?.labels?.[key] === value);

/** Whether it is of the Service, which does not have the address, or of nobody who could. Those of others are theirs. */
const isLeft = (address: IpAddress, service: ServiceName): boolean =>
  address.metadata?.labels?.[ipManagedBy] === ipManager && (isOf(address, service) || address.spec?.parentRef?.resource !== "services");

const isOf = ({ spec }: Pick<IpAddress, "spec">, { name, namespace }: Partial<ServiceName>): boolean =>
  spec?.parentRef?.resource === "services" && spec.parentRef.name === name && spec.parentRef.namespace === namespace;
