/**
 * Cluster IPs and node ports: each Service gets its own, and none is given twice.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import { type coreV1, needsHealthCheckPort } from "@coxswain/api";
import { type FieldError, field, invalid, parseIp } from "@coxswain/machinery";
import { AddressBook, type Pool } from "./address-book.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";

/** The pools' state belongs to one server. */
export function serviceAddresses(): AdmissionPlugin {
  let book: Promise<AddressBook> | undefined;
  return {
    name: "ServiceAddresses",
    handles: ({ operation, resource, subresource }) =>
      operation !== "delete" && subresource === "" && resource.definition.group === "" && resource.definition.kind === "Service",
    async claim(request) {
      book ??= AddressBook.load(request.server);
      return claimFor(await book, request);
    },
  };
}

function claimFor(book: AddressBook, request: AdmissionRequest): Disposable {
  const service = request.object as coreV1.Service;
  const key = `${request.resource.prefix}${request.namespace}/${service.metadata?.name ?? request.name}`;
  const claim = book.begin(key);
  const errors: FieldError[] = [];
  const { spec } = service;
  if (spec !== undefined && spec.type !== "ExternalName") claimIp(errors, claim, spec);
  if (spec !== undefined && wantsNodePorts(spec)) claimPorts(errors, claim, spec);
  if (spec !== undefined && needsHealthCheckPort(spec)) claimHealthCheckPort(errors, claim, spec);
  if (errors.length === 0) return claim;
  claim[Symbol.dispose]();
  throw invalid(request.resource.definition, service.metadata?.name ?? request.name, errors);
}

type Claim = ReturnType<AddressBook["begin"]>;

function claimIp(errors: FieldError[], claim: Claim, spec: coreV1.ServiceSpec): void {
  const asked = spec.clusterIP ?? spec.clusterIPs?.[0] ?? "";
  // What is no address at all is told by the kind's own rules.
  if (asked === "None" || (asked !== "" && parseIp(asked) === undefined)) return;
  if (asked === "") {
    const ip = claim.any("ip");
    if (ip === undefined) {
      errors.push(field.internal("spec.clusterIPs", "failed to allocate a serviceIP: range is full"));
      return;
    }
    spec.clusterIP = ip;
    spec.clusterIPs = [ip];
    return;
  }
  const problem = problemOf(claim.take("ip", asked), "IP", claim.pool("ip"));
  if (problem !== undefined)
    errors.push(field.invalid("spec.clusterIPs", spec.clusterIPs ?? [asked], `failed to allocate IP ${asked}: ${problem}`));
}

const wantsNodePorts = ({ type, allocateLoadBalancerNodePorts }: coreV1.ServiceSpec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);

function claimPorts(errors: FieldError[], claim: Claim, spec: coreV1.ServiceSpec): void {
  const given = new Map<number, Set<string>>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    const protocol = port.protocol ?? "TCP";
    if (port.nodePort !== undefined && port.nodePort !== 0) {
      // One Service may use a port for several protocols.
      const protocols = given.get(port.nodePort) ?? new Set();
      const problem =
        protocols.size > 0 && !protocols.has(protocol)
          ? undefined
          : problemOf(claim.take("port", String(port.nodePort)), "port", claim.pool("port"));
      if (problem !== undefined) errors.push(field.invalid(`spec.ports[${i}].nodePort`, port.nodePort, problem));
      given.set(port.nodePort, protocols.add(protocol));
      continue;
    }
    const free = claim.any("port");
    if (free === undefined) errors.push(field.internal(`spec.ports[${i}].nodePort`, "failed to allocate a nodePort: range is full"));
    else {
      port.nodePort = Number(free);
      given.set(port.nodePort, new Set([protocol]));
    }
  }
}

function claimHealthCheckPort(errors: FieldError[], claim: Claim, spec: coreV1.ServiceSpec): void {
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) {
    const free = claim.any("port");
    if (free !== undefined) spec.healthCheckNodePort = Number(free);
    return;
  }
  const problem = problemOf(claim.take("port", String(asked)), "port", claim.pool("port"));
  if (problem !== undefined)
    errors.push(field.internal("spec.healthCheckNodePort", `failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`));
}

function problemOf(taken: "ok" | "used" | "out of range", what: "IP" | "port", pool: Pool): string | undefined {
  if (taken === "ok") return undefined;
  if (taken === "used") return `provided ${what} is already allocated`;
  return `provided ${what} is not in the valid range. The range of valid ${what}s is ${pool.text}`;
}
