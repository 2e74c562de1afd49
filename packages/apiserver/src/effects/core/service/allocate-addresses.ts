/**
 * Gives a Service its cluster IP and its node ports when it is written.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import { type coreV1, needsHealthCheckPort, validateServiceAddresses } from "@coxswain/api";
import { type FieldError, field, goQuote, internalError, invalid, unexplained } from "@coxswain/machinery";
import type { AdmissionRequest } from "../../../contracts/admission.ts";
import type { Allocation, Range } from "./range-allocator.ts";
import type { AllocationOperation, ServiceAllocators } from "./service-allocators.ts";

/**
 * As in Kubernetes, the first value that cannot be allocated ends it, before anything else that is wrong is reported.
 * @throws invalid()
 */
export function allocateAddresses(allocators: ServiceAllocators, request: AdmissionRequest): Disposable {
  const service = request.object as coreV1.Service;
  const name = service.metadata?.name ?? request.name;
  const { spec } = service;
  const errors = spec === undefined ? [] : validateServiceAddresses(spec);
  const kind = request.resource.definition;
  if (errors.length > 0) throw invalid(kind, name, errors);
  const isNew = request.operation === "create";
  const allocation = allocators.begin(`${request.resource.prefix}${request.namespace}/${name}`, isNew ? "create" : "update");
  if (spec === undefined) return allocation;
  const before = isNew ? undefined : (request.previous as coreV1.Service | undefined);
  const refuse = (error: FieldError): never => {
    throw invalid(kind, name, [error]);
  };
  try {
    const allocating: Allocating = { allocation, refuse, name, before: before?.spec ?? {} };
    allocateIp(allocating, spec);
    if (isNew) allocateNodePorts(allocating, spec);
    else updateNodePorts(allocating, spec);
    if (needsHealthCheckPort(spec)) allocateHealthCheckPort(allocating, spec);
    return allocation;
  } catch (error) {
    allocation[Symbol.dispose]();
    throw error;
  }
}

interface Allocating {
  readonly allocation: AllocationOperation;
  /** @throws invalid() */
  readonly refuse: (error: FieldError) => never;
  /** Of the Service. */
  readonly name: string;
  /** Empty for a new Service. */
  readonly before: coreV1.ServiceSpec;
}

function allocateIp({ allocation, refuse, name, before }: Allocating, spec: coreV1.ServiceSpec): void {
  const asked = spec.clusterIP ?? spec.clusterIPs?.[0] ?? "";
  if (spec.type === "ExternalName" || asked === "None") return;
  // An address that was given may not change, which the kind's own rules say.
  if (before.clusterIP && before.clusterIP !== asked) return;
  if (asked === "") {
    const ip = allocation.allocateNext("ip");
    if (ip === undefined) throw internalError(`failed to allocate a serviceIP for Service ${goQuote(name)}: range is full`);
    spec.clusterIP = ip;
    spec.clusterIPs = [ip];
    return;
  }
  const problem = problemOf(allocation.allocate("ip", asked), "IP", allocation.range("ip"));
  if (problem !== undefined)
    refuse(field.invalid("spec.clusterIPs", spec.clusterIPs ?? [asked], `failed to allocate IP ${asked}: ${problem}`));
}

const hasNodePorts = ({ type }: coreV1.ServiceSpec): boolean => type === "NodePort" || type === "LoadBalancer";

/** What a load balancer asks for it gets even if it wants no others. */
const wantsNodePorts = ({ type, allocateLoadBalancerNodePorts }: coreV1.ServiceSpec): boolean =>
  type === "NodePort" || allocateLoadBalancerNodePorts !== false;

/** Ports of one number, such as DNS has for two protocols, share their node port. */
function allocateNodePorts(allocating: Allocating, spec: coreV1.ServiceSpec): void {
  if (!hasNodePorts(spec)) return;
  const ports = spec.ports ?? [];
  const shared = new Map<number, number>();
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !wantsNodePorts(spec)) continue;
    const known = shared.get(port.port);
    if (known === undefined) {
      const asked = ports.find(({ port: number, nodePort }) => number === port.port && nodePort)?.nodePort;
      port.nodePort = asked === undefined ? nextNodePort(allocating) : takeNodePort(allocating, i, asked);
      shared.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = known;
    else if (port.nodePort !== known) takeNodePort(allocating, i, port.nodePort);
  }
}

/** What is added later shares nothing. */
function updateNodePorts(allocating: Allocating, spec: coreV1.ServiceSpec): void {
  if (!hasNodePorts(spec)) return;
  const taken = new Set<number>();
  const seen = new Set<string>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort && !wantsNodePorts(spec)) continue;
    if (!port.nodePort) port.nodePort = nextNodePort(allocating);
    else if (!taken.has(port.nodePort)) taken.add(takeNodePort(allocating, i, port.nodePort));
    const shown = `{${port.protocol} ${port.nodePort}}`;
    if (seen.has(shown)) throw unexplained(`duplicate nodePort: ${shown}`);
    seen.add(shown);
  }
}

function takeNodePort({ allocation, refuse, before }: Allocating, i: number, nodePort: number): number {
  const allocated = before.healthCheckNodePort === nodePort ? "already allocated" : allocation.allocate("port", String(nodePort));
  const problem = problemOf(allocated, "port", allocation.range("port"));
  return problem === undefined ? nodePort : refuse(field.invalid(`spec.ports[${i}].nodePort`, nodePort, problem));
}

function nextNodePort({ allocation }: Allocating): number {
  const free = allocation.allocateNext("port");
  if (free === undefined) throw internalError("failed to allocate a nodePort: range is full");
  return Number(free);
}

function allocateHealthCheckPort({ allocation, before }: Allocating, spec: coreV1.ServiceSpec): void {
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) {
    const free = allocation.allocateNext("port");
    if (free === undefined) throw internalError("failed to allocate a HealthCheck NodePort 0: range is full");
    spec.healthCheckNodePort = Number(free);
    return;
  }
  const isNodePort = before.ports?.some(({ nodePort }) => nodePort === asked);
  const problem = problemOf(
    isNodePort ? "already allocated" : allocation.allocate("port", String(asked)),
    "port",
    allocation.range("port"),
  );
  if (problem !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`);
}

function problemOf(allocated: Allocation, what: "IP" | "port", range: Range): string | undefined {
  if (allocated === "allocated") return undefined;
  if (allocated === "already allocated") return `provided ${what} is already allocated`;
  if (what === "IP") return "the provided network does not match the current range";
  return `provided port is not in the valid range. The range of valid ports is ${range.text}`;
}
