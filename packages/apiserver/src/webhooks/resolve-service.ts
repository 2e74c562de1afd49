/**
 * Where the requests of webhooks and APIServices go that name a Service: to its cluster IP, as a kube-apiserver sends them, or to one of
 * its endpoints, as that does with --enable-aggregator-routing.
 */
import type { coreV1 } from "@coxswain/api";
import { type KubeObject, notFound, type RandomSource, serviceUnavailable } from "@coxswain/machinery";
import type { ServiceRouting } from "../contracts/service-routing.ts";
import { type ObjectReader, readCoreObject } from "../storage/object-reader.ts";
import { prefixOf } from "../storage/served-resource.ts";
import type { Endpoint, ServiceResolver } from "./client-config.ts";

export interface ServiceResolverOptions {
  readonly reader: ObjectReader;
  readonly random: RandomSource;
  readonly routing: ServiceRouting;
  /** Where the server itself listens; undefined: nowhere yet. */
  readonly ownAddress: () => Endpoint | undefined;
}

/** Rejects with a StatusError or Error in Kubernetes' words where the Service leads nowhere. */
export const serviceResolver = (options: ServiceResolverOptions): ServiceResolver => {
  const { reader, routing, ownAddress } = options;
  return async (namespace, name, port) => {
    const own = namespace === "default" && name === "kubernetes" && port === 443 ? ownAddress() : undefined;
    if (own !== undefined) return { ...own, isOwn: true };
    const service = await readCoreObject<coreV1.Service>(reader, "services", namespace, name);
    if (service === undefined) throw notFound({ group: "", resource: "service" }, name);
    const { externalName = "" } = service.spec ?? {};
    if (service.spec?.type === "ExternalName" && routing !== "endpoint") return { host: externalName, port };
    return routing === "cluster-ip" ? clusterAddress(service, name, port) : await endpointOf(options, service, { namespace, name, port });
  };
};

function clusterAddress({ spec = {} }: Readonly<coreV1.Service>, name: string, port: number): Endpoint {
  if (spec.type === "ClusterIP" && spec.clusterIP === "None") throw new Error('cannot route to service with ClusterIP "None"');
  checkedPort(spec, name, port);
  return { host: spec.clusterIP ?? "", port, isVirtual: true };
}

/** @throws Error for a type that has no ports, serviceUnavailable() for a port that it does not have */
function checkedPort({ type = "", ports }: coreV1.ServiceSpec, name: string, port: number): coreV1.ServicePort {
  if (type !== "ClusterIP" && type !== "NodePort" && type !== "LoadBalancer") throw new Error(`unsupported service type "${type}"`);
  const found = (ports ?? []).find((one) => one.port === port);
  if (found === undefined) throw serviceUnavailable(`no service port ${port} found for service "${name}"`);
  return found;
}

interface Wanted {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

interface PortFacts {
  readonly name?: string;
  readonly port?: number;
}

/** An EndpointSlice or a subset of an Endpoints object. */
interface Group {
  readonly family: string;
  readonly ports: readonly PortFacts[];
  readonly endpoints: readonly Known[];
}

interface Known {
  readonly address: string;
  /** Empty for what is said to be none. */
  readonly pod: string;
}

/** One that is ready, of the Service's first family where it has such. */
async function endpointOf(
  { reader, random }: Pick<ServiceResolverOptions, "reader" | "random">,
  { spec = {} }: Readonly<coreV1.Service>,
  { namespace, name, port }: Wanted,
): Promise<Endpoint> {
  const wanted = checkedPort(spec, name, port);
  const [primary] = spec.ipFamilies ?? [];
  const groups = startingAtAny(await groupsOf(reader, namespace, name), random);
  for (const group of [...groups.filter(({ family }) => family === primary), ...groups.filter(({ family }) => family !== primary)]) {
    const found = group.ports.find((one) => (one.name ?? "") === (wanted.name ?? ""))?.port;
    const [chosen] = startingAtAny(group.endpoints, random);
    if (found === undefined || chosen === undefined) continue;
    const { address: host, pod } = chosen;
    return { host, port: found, ...(pod === "" ? {} : { pod: { namespace, name: pod } }) };
  }
  throw serviceUnavailable(`no endpoints available for service "${name}"`);
}

function startingAtAny<T>(list: readonly T[], random: RandomSource): readonly T[] {
  const start = Math.floor(random.next() * list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}

/** Where no controller makes slices of a Service's Endpoints, these count themselves. */
async function groupsOf(reader: ObjectReader, namespace: string, name: string): Promise<readonly Group[]> {
  const slices = await slicesOf(reader, namespace, name);
  if (slices.length > 0) return slices;
  const endpoints = await readCoreObject<coreV1.Endpoints>(reader, "endpoints", namespace, name);
  return (endpoints?.subsets ?? []).map(({ ports = [], addresses = [] }) => ({
    family: "",
    ports,
    endpoints: addresses.map(({ ip, targetRef }) => ({ address: ip, pod: podOf(targetRef) })),
  }));
}

const podOf = (target: coreV1.ObjectReference | undefined | null): string => (target?.kind === "Pod" ? (target.name ?? "") : "");

interface Slice extends KubeObject {
  readonly addressType?: string;
  readonly ports?: readonly PortFacts[] | null;
  readonly endpoints?: readonly SliceEndpoint[] | null;
}

interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean };
  readonly targetRef?: coreV1.ObjectReference;
}

async function slicesOf({ store, cache, served }: ObjectReader, namespace: string, name: string): Promise<readonly Group[]> {
  const resource = served.find("discovery.k8s.io", "v1", "endpointslices");
  if (resource === undefined) return [];
  const { entries } = await store.list(prefixOf(resource, namespace));
  const own = entries.filter((entry) => cache.labelsOf(entry)["kubernetes.io/service-name"] === name);
  return own.map((entry) => {
    const { addressType = "", ports, endpoints } = cache.objectAt(entry, resource) as Slice;
    const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    const known = ready.flatMap(({ addresses, targetRef }) => addresses.slice(0, 1).map((address) => ({ address, pod: podOf(targetRef) })));
    return { family: addressType, ports: ports ?? [], endpoints: known };
  });
}
