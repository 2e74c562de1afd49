/**
 * Gives a Service its cluster IPs and its node ports when it is written.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
 */
import { type coreV1, initIpFamilies, needsHealthCheckPort } from "@coxswain/api";
import { type FieldError, invalid } from "@coxswain/machinery";
import type { AdmissionRequest } from "../../../contracts/admission.ts";
import { allocateClusterIps, updateClusterIps } from "./allocate-cluster-ips.ts";
import { allocateHealthCheckPort, allocateNodePorts, updateNodePorts } from "./allocate-node-ports.ts";
import type { Allocating } from "./allocating.ts";
import type { ServiceAllocators } from "./service-allocators.ts";

/**
 * As in Kubernetes, the first value that cannot be allocated ends it, before anything else that is wrong is reported.
 * @throws invalid()
 */
export function allocateAddresses(allocators: ServiceAllocators, request: AdmissionRequest): Disposable {
  const { metadata, spec } = request.object as coreV1.Service;
  const name = metadata?.name ?? request.name;
  const kind = request.resource.definition;
  const operation = request.operation === "create" ? "create" : "update";
  const before = operation === "create" ? undefined : ((request.previous as coreV1.Service | undefined)?.spec ?? {});
  const errors = spec === undefined ? [] : initIpFamilies(spec, before, allocators.families);
  if (errors.length > 0) throw invalid(kind, name, errors);
  const key = `${request.resource.prefix}${request.namespace}/${name}`;
  const allocation = allocators.begin({ key, operation, dryRun: request.dryRun });
  if (spec === undefined) return allocation;
  const refuse = (error: FieldError): never => {
    throw invalid(kind, name, [error]);
  };
  try {
    allocate({ allocation, refuse, name }, spec, before);
    return allocation;
  } catch (error) {
    allocation[Symbol.dispose]();
    throw error;
  }
}

function allocate(allocating: Allocating, spec: coreV1.ServiceSpec, before: coreV1.ServiceSpec | undefined): void {
  if (before === undefined) {
    allocateClusterIps(allocating, spec);
    allocateNodePorts(allocating, spec);
  } else {
    updateClusterIps(allocating, spec, before);
    updateNodePorts(allocating, spec, before);
  }
  if (needsHealthCheckPort(spec)) allocateHealthCheckPort(allocating, spec, before);
}
