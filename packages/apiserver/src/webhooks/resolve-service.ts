/**
 * Where a Service's requests go: to one of its endpoints, as a kube-apiserver sends those of an APIService with
 * --enable-aggregator-routing. A cluster IP leads somewhere only where a Service proxy runs on the machine of the server.
 */
import type { coreV1 } from "@coxswain/api";
import { type KubeObject, notFound, type RandomSource, serviceUnavailable } from "@coxswain/machinery";
import { type ObjectReader, readCoreObject } from "../storage/object-reader.ts";
import { prefixOf } from "../storage/served-resource.ts";
import type { Endpoint } from "./client-config.ts";

interface EndpointReader extends ObjectReader {
  readonly random: RandomSource;
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

/** @throws StatusError in Kubernetes' words when it has no endpoint that is ready */
export async function resolveService(reader: EndpointReader, namespace: string, name: string, port: number): Promise<Endpoint> {
  const service = await readCoreObject<coreV1.Service>(reader, "services", namespace, name);
  if (service === undefined) throw notFound({ group: "", resource: "service" }, name);
  const { type = "", ports = [], ipFamilies = [], externalName = "" } = service.spec ?? {};
  if (type === "ExternalName") return { host: externalName, port };
  if (type !== "ClusterIP" && type !== "NodePort" && type !== "LoadBalancer") throw new Error(`unsupported service type "${type}"`);
  const wanted = ports.find((one) => one.port === port);
  if (wanted === undefined) throw serviceUnavailable(`no service port ${port} found for service "${name}"`);
  const groups = await groupsOf(reader, namespace, name);
  const inOrder = [...groups.filter(({ family }) => family === ipFamilies[0]), ...groups.filter(({ family }) => family !== ipFamilies[0])];
  for (const group of inOrder) {
    const found = group.ports.find((one) => (one.name ?? "") === (wanted.name ?? ""))?.port;
    const chosen = group.endpoints[Math.floor(reader.random.next() * group.endpoints.length)];
    if (found === undefined || chosen === undefined) continue;
    const { address: host, pod } = chosen;
    return { host, port: found, ...(pod === "" ? {} : { pod: { namespace, name: pod } }) };
  }
  throw serviceUnavailable(`no endpoints available for service "${name}"`);
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
