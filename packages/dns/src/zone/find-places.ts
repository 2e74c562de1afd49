/** Which addresses a name in the cluster's domain has. */
import { addressBytes, canonicalAddress } from "../message/records.ts";
import type { NameRequest, ServiceRequest } from "./parse-name.ts";
import type { HostAddress, NamedPort, ServiceIndex } from "./service-index.ts";

/** What `*.pod` names are answered with. */
export type PodMode = "disabled" | "insecure" | "verified";

/** An address, and the labels of the name that it goes by in SRV records. */
export interface FoundAddress {
  readonly address: HostAddress;
  /** Undefined: it has no ports at all. */
  readonly port: number | undefined;
  readonly labels: string;
}

export type Found =
  | { readonly kind: "places"; readonly places: readonly FoundAddress[] }
  | { readonly kind: "alias"; readonly target: string }
  /** The name does not exist. */
  | { readonly kind: "nothing" };

const nothing: Found = { kind: "nothing" };
const noPlaces: Found = { kind: "places", places: [] };

/** All names in `request` are in lower case. */
export function findPlaces(request: NameRequest, index: ServiceIndex, podMode: PodMode): Found {
  switch (request.kind) {
    case "impossible":
      return nothing;
    case "between":
      return noPlaces;
    case "namespace":
      return index.hasNamespace(request.namespace) ? noPlaces : nothing;
    case "pod":
      return index.hasNamespace(request.namespace) ? podPlaces(request.namespace, request.pod, index, podMode) : nothing;
    case "service":
      return index.hasNamespace(request.namespace) ? servicePlaces(request, index) : nothing;
    default:
      return unreachable(request);
  }
}

function podPlaces(namespace: string, pod: string, index: ServiceIndex, podMode: PodMode): Found {
  if (podMode === "disabled") return nothing;
  const isIpv4 = pod.split("-").length === 4 && !pod.includes("--");
  const text = canonicalAddress(pod.replaceAll("-", isIpv4 ? "." : ":"));
  const bytes = text === undefined ? undefined : addressBytes(text);
  if (text === undefined || bytes === undefined) return nothing;
  if (podMode === "verified" && !index.hasPod(namespace, text)) return nothing;
  return { kind: "places", places: [{ address: { text, bytes }, port: 0, labels: `${pod}.${namespace}.pod` }] };
}

function servicePlaces(request: ServiceRequest, index: ServiceIndex): Found {
  const { namespace, service, endpoint, port, protocol } = request;
  const facts = index.service(namespace, service);
  if (facts === undefined) return nothing;
  if (facts.kind.type === "external")
    return endpoint === "" &&
      port === "" &&
      protocol === "" &&
      facts.kind.target !== "" &&
      canonicalAddress(facts.kind.target) === undefined
      ? { kind: "alias", target: facts.kind.target }
      : nothing;
  const labels = `${service}.${namespace}.svc`;
  if (facts.kind.type === "headless" || endpoint !== "") return endpointPlaces(request, index, labels);
  const { addresses, ports } = facts.kind;
  const asked = ports.filter((one) => isAsked(one, request));
  const places = asked.flatMap((one) => addresses.map((address) => ({ address, port: one.port, labels })));
  return asked.length === 0 ? nothing : { kind: "places", places };
}

function endpointPlaces(request: ServiceRequest, index: ServiceIndex, labels: string): Found {
  const { namespace, service, endpoint } = request;
  const places: FoundAddress[] = [];
  for (const { addresses, ports } of index.endpoints(namespace, service)) {
    const asked = ports.filter((one) => isAsked(one, request));
    for (const address of addresses) {
      if (endpoint !== "" && endpoint !== address.hostname) continue;
      for (const { port } of asked) places.push({ address, port, labels: `${address.hostname}.${labels}` });
    }
  }
  return places.length === 0 ? nothing : { kind: "places", places };
}

const isAsked = (one: NamedPort, { port, protocol }: ServiceRequest): boolean =>
  (port === "" || port === one.name) && (protocol === "" || protocol === one.protocol);

function unreachable(request: never): never {
  throw new TypeError(`no such request: ${JSON.stringify(request)}`);
}
