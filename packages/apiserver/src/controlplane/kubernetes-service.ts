/**
 * Service `default/kubernetes`, and where it leads: to this server, and to the others where several share a store. No controller keeps its
 * Endpoints and EndpointSlice.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors
 */
import type { coreV1, discoveryV1 } from "@coxswain/api";
import { type Clock, DisposableStack, deepEqual, type KubeObject } from "@coxswain/machinery";
import type { ServiceIpRanges } from "../configuration/service-ip-ranges.ts";
import type { Log } from "../contracts/log.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { ObjectKeeper } from "./object-keeper.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";
import { ServerLeases } from "./server-leases.ts";

/** Where clients in the cluster reach the server. */
export interface AdvertisedAddress {
  /** Undefined where there is none: then nothing is said of where the Service leads. */
  readonly ip: string | undefined;
  readonly port: number;
}

const namespace = "default";
const name = "kubernetes";
const portName = "https";

interface KubernetesServiceOptions {
  readonly reader: ObjectReader;
  readonly keeper: ObjectKeeper;
  readonly clock: Clock;
  readonly log: Log;
  readonly serviceIpRanges: ServiceIpRanges;
}

export class KubernetesService implements AsyncDisposable {
  readonly #options: KubernetesServiceOptions;
  readonly #loop: ReconcileLoop;
  /** Undefined where the store is this server's alone. */
  readonly #leases: ServerLeases | undefined;
  #advertised: AdvertisedAddress | undefined;
  #subscriptions = new DisposableStack();
  #reportedPort = false;

  constructor(options: KubernetesServiceOptions) {
    const { clock, log, reader } = options;
    this.#options = options;
    const { store } = reader;
    if (store.expires === true) this.#leases = new ServerLeases({ store, clock, log, onChange: () => this.#loop.trigger() });
    this.#loop = new ReconcileLoop({ clock, log, what: "the Service kubernetes" }, () => this.#reconcile());
  }

  /** Makes it so in the background, and keeps it so. */
  start(advertised: AdvertisedAddress): void {
    const { store, served } = this.#options.reader;
    this.#advertised = advertised;
    for (const [group, resource] of [
      ["", "services"],
      ["", "endpoints"],
      ["discovery.k8s.io", "endpointslices"],
    ] as const) {
      const found = served.find(group, "v1", resource);
      if (found !== undefined)
        this.#subscriptions.use(store.subscribe(keyOf(found, namespace, name), { after: store.revision }, () => this.#loop.trigger()));
    }
    this.#loop.trigger();
  }

  /** A server that ends is not to be reached any more: nothing is where it was. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
    const advertised = this.#advertised;
    if (advertised?.ip === undefined) return;
    this.#advertised = undefined;
    try {
      await this.#leases?.[Symbol.asyncDispose]();
      await this.#keepEndpoints((await this.#leases?.addresses()) ?? [], advertised.port);
    } catch (error) {
      this.#options.log.warn({ error }, "failed to remove the endpoint of the server");
    }
  }

  async #reconcile(): Promise<void> {
    const advertised = this.#advertised;
    if (advertised === undefined) return;
    const { keeper, serviceIpRanges } = this.#options;
    const { ip, port } = advertised;
    const service = kubernetesService(serviceIpRanges, port);
    await Promise.all([
      keeper.keep(service, (current, isOthers) => {
        if (!this.#yields(isOthers)) keepPorts(current as coreV1.Service, service);
        else if (!deepEqual((current as coreV1.Service).spec?.ports, service.spec?.ports)) this.#reportPort(port);
      }),
      ip === undefined ? undefined : this.#addresses(ip).then((ips) => this.#keepEndpoints(ips, port)),
    ]);
  }

  async #addresses(ip: string): Promise<string[]> {
    if (this.#leases === undefined) return [ip];
    await this.#leases.start(ip);
    return await this.#leases.addresses();
  }

  /** Without an address there are none in them. */
  async #keepEndpoints(ips: readonly string[], port: number): Promise<void> {
    const { keeper } = this.#options;
    const [endpoints, slice] = [endpointsFor(ips, port), sliceFor(ips, port)];
    if (ips.length > 0) await this.#removeOtherFamily(slice);
    await Promise.all([
      keeper.keep(endpoints, (current, isOthers) => keepEndpoints(current as coreV1.Endpoints, endpoints, this.#yields(isOthers))),
      keeper.keep(slice, (current, isOthers) => keepSlice(current as discoveryV1.EndpointSlice, slice, this.#yields(isOthers))),
    ]);
  }

  /** The port that another server has written stays for as long as there is another. */
  #yields(isOthers: boolean): boolean {
    return isOthers && this.#leases?.isAlone !== true;
  }

  #reportPort(port: number): void {
    if (this.#reportedPort) return;
    this.#reportedPort = true;
    this.#options.log.warn({ port }, "another API server has another port: the Service kubernetes leads to that port at all of them");
  }

  /** A slice keeps its type of addresses for life. */
  async #removeOtherFamily(wanted: discoveryV1.EndpointSlice & KubeObject): Promise<void> {
    const { reader, keeper } = this.#options;
    const slices = { group: "discovery.k8s.io", version: "v1", resource: "endpointslices" };
    const found = await readObject<discoveryV1.EndpointSlice & KubeObject>(reader, slices, namespace, name);
    if (found !== undefined && found.addressType !== wanted.addressType) await keeper.remove(wanted);
  }
}

/** Of one family whatever the cluster has: the server is reached at one address. */
export const kubernetesService = ({ apiServerServiceIp, families }: ServiceIpRanges, targetPort: number): coreV1.Service & KubeObject => ({
  kind: "Service",
  apiVersion: "v1",
  metadata: { name, namespace, labels: { component: "apiserver", provider: "kubernetes" } },
  spec: {
    ports: [{ name: portName, protocol: "TCP", port: 443, targetPort }],
    clusterIP: apiServerServiceIp,
    clusterIPs: [apiServerServiceIp],
    type: "ClusterIP",
    sessionAffinity: "None",
    ipFamilies: families.slice(0, 1),
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
  },
  status: { loadBalancer: {} },
});

const endpointsFor = (ips: readonly string[], port: number): coreV1.Endpoints & KubeObject => ({
  kind: "Endpoints",
  apiVersion: "v1",
  // It has its EndpointSlice already.
  metadata: { name, namespace, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
  ...(ips.length === 0 ? {} : { subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: portName, port, protocol: "TCP" }] }] }),
});

const sliceFor = (ips: readonly string[], port: number): discoveryV1.EndpointSlice & KubeObject => ({
  kind: "EndpointSlice",
  apiVersion: "discovery.k8s.io/v1",
  metadata: { name, namespace, labels: { "kubernetes.io/service-name": name } },
  addressType: ips[0]?.includes(":") ? "IPv6" : "IPv4",
  endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
  ports: ips.length === 0 ? [] : [{ name: portName, port, protocol: "TCP" }],
});

/** What else clients have set stays. */
function keepPorts({ spec }: coreV1.Service, wanted: coreV1.Service): void {
  if (spec === undefined) return;
  spec.type = "ClusterIP";
  const ports = wanted.spec?.ports ?? [];
  if (!deepEqual(spec.ports, ports)) spec.ports = ports;
}

function keepEndpoints(current: coreV1.Endpoints, wanted: coreV1.Endpoints, keepsPorts: boolean): void {
  const [{ ports = [] } = {}] = keepsPorts ? (current.subsets ?? []) : [];
  current.metadata = { ...current.metadata, labels: { ...current.metadata?.labels, ...wanted.metadata?.labels } };
  if (wanted.subsets === undefined) delete current.subsets;
  else current.subsets = ports.length === 0 ? wanted.subsets : wanted.subsets.map((subset) => ({ ...subset, ports }));
}

function keepSlice(current: discoveryV1.EndpointSlice, wanted: discoveryV1.EndpointSlice, keepsPorts: boolean): void {
  current.metadata = { ...current.metadata, labels: { ...wanted.metadata?.labels } };
  current.endpoints = wanted.endpoints ?? [];
  if (!keepsPorts || !wanted.ports?.length || !current.ports?.length) current.ports = wanted.ports ?? [];
}
