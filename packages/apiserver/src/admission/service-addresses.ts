/**
 * Cluster IPs and node ports: each Service gets its own, and none is given twice.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import { type coreV1, needsHealthCheckPort } from "@coxswain/api";
import { type FieldError, field, invalid, parseIp } from "@coxswain/machinery";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { type Allocation, type AllocationOperation, type Range, ServiceAllocators } from "./service-allocators.ts";

/** What is allocated belongs to one server. */
export function serviceAddresses(): AdmissionPlugin {
  let allocators: Promise<ServiceAllocators> | undefined;
  return {
    name: "ServiceAddresses",
    handles: ({ operation, resource, subresource }) =>
      operation !== "delete" && subresource === "" && resource.definition.group === "" && resource.definition.kind === "Service",
    async claim(request) {
      allocators ??= ServiceAllocators.load(request.server).catch((error: unknown) => {
        allocators = undefined;
        throw error;
      });
      return allocateFor(await allocators, request);
    },
  };
}

/** As Kubernetes does it, the first value that is not to be had ends it. */
function allocateFor(allocators: ServiceAllocators, request: AdmissionRequest): Disposable {
  const service = request.object as coreV1.Service;
  const key = `${request.resource.prefix}${request.namespace}/${service.metadata?.name ?? request.name}`;
  const allocation = allocators.begin(key, request.operation === "create" ? "create" : "update");
  const errors: FieldError[] = [];
  const { spec } = service;
  if (spec !== undefined && spec.type !== "ExternalName") allocateIp(errors, allocation, spec);
  if (errors.length === 0 && spec !== undefined && wantsNodePorts(spec)) allocatePorts(errors, allocation, spec);
  if (errors.length === 0 && spec !== undefined && needsHealthCheckPort(spec)) allocateHealthCheckPort(errors, allocation, spec);
  if (errors.length === 0) return allocation;
  allocation[Symbol.dispose]();
  throw invalid(request.resource.definition, service.metadata?.name ?? request.name, errors);
}

function allocateIp(errors: FieldError[], allocation: AllocationOperation, spec: coreV1.ServiceSpec): void {
  const asked = spec.clusterIP ?? spec.clusterIPs?.[0] ?? "";
  // What is no address at all is told by the kind's own rules.
  if (asked === "None" || (asked !== "" && parseIp(asked) === undefined)) return;
  if (asked === "") {
    const ip = allocation.allocateNext("ip");
    if (ip === undefined) {
      errors.push(field.internal("spec.clusterIPs", "failed to allocate a serviceIP: range is full"));
      return;
    }
    spec.clusterIP = ip;
    spec.clusterIPs = [ip];
    return;
  }
  const problem = problemOf(allocation.allocate("ip", asked), "IP", allocation.range("ip"));
  if (problem !== undefined)
    errors.push(field.invalid("spec.clusterIPs", spec.clusterIPs ?? [asked], `failed to allocate IP ${asked}: ${problem}`));
}

const wantsNodePorts = ({ type, allocateLoadBalancerNodePorts }: coreV1.ServiceSpec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);

function allocatePorts(errors: FieldError[], allocation: AllocationOperation, spec: coreV1.ServiceSpec): void {
  const given = new Map<number, Set<string>>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    const protocol = port.protocol ?? "TCP";
    if (port.nodePort !== undefined && port.nodePort !== 0) {
      // One Service may use a port for several protocols.
      const protocols = given.get(port.nodePort) ?? new Set();
      const problem =
        protocols.size > 0 && !protocols.has(protocol)
          ? undefined
          : problemOf(allocation.allocate("port", String(port.nodePort)), "port", allocation.range("port"));
      if (problem !== undefined) {
        errors.push(field.invalid(`spec.ports[${i}].nodePort`, port.nodePort, problem));
        return;
      }
      given.set(port.nodePort, protocols.add(protocol));
      continue;
    }
    const free = allocation.allocateNext("port");
    if (free === undefined) errors.push(field.internal(`spec.ports[${i}].nodePort`, "failed to allocate a nodePort: range is full"));
    else {
      port.nodePort = Number(free);
      given.set(port.nodePort, new Set([protocol]));
    }
  }
}

function allocateHealthCheckPort(errors: FieldError[], allocation: AllocationOperation, spec: coreV1.ServiceSpec): void {
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) {
    const free = allocation.allocateNext("port");
    if (free !== undefined) spec.healthCheckNodePort = Number(free);
    return;
  }
  const problem = problemOf(allocation.allocate("port", String(asked)), "port", allocation.range("port"));
  if (problem !== undefined)
    errors.push(field.internal("spec.healthCheckNodePort", `failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`));
}

function problemOf(allocated: Allocation, what: "IP" | "port", range: Range): string | undefined {
  if (allocated === "allocated") return undefined;
  if (allocated === "already allocated") return `provided ${what} is already allocated`;
  return `provided ${what} is not in the valid range. The range of valid ${what}s is ${range.text}`;
}
