/** The ports that a Service has on every Node. */
import { type coreV1, getsNodePort, needsNodePort } from "@coxswain/api";
import { field, internalError, unexplained } from "@coxswain/machinery";
import type { Allocating } from "./allocating.ts";
import { portAllocated } from "./node-port-allocator.ts";

type Spec = coreV1.ServiceSpec;
type Before = Readonly<Spec> | undefined;

/** Ports of one number, such as DNS has for two protocols, share their node port. What a load balancer asks for it gets even if it wants no others. */
export function allocateNodePorts(allocating: Allocating, spec: Spec): void {
  if (!needsNodePort(spec)) return;
  const ports = spec.ports ?? [];
  const shared = new Map<number, number>();
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !getsNodePort(spec)) continue;
    const known = shared.get(port.port);
    if (known === undefined) {
      const asked = ports.find(({ port: number, nodePort }) => number === port.port && nodePort)?.nodePort;
      port.nodePort = asked === undefined ? nextNodePort(allocating) : takeNodePort(allocating, { i, nodePort: asked, before: undefined });
      shared.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = known;
    else if (port.nodePort !== known) takeNodePort(allocating, { i, nodePort: port.nodePort, before: undefined });
  }
}

/** What is added later shares nothing. */
export function updateNodePorts(allocating: Allocating, spec: Spec, before: Before): void {
  if (!needsNodePort(spec)) return;
  const taken = new Set<number>();
  const seen = new Set<string>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort && !getsNodePort(spec)) continue;
    if (!port.nodePort) port.nodePort = nextNodePort(allocating);
    else if (!taken.has(port.nodePort)) taken.add(takeNodePort(allocating, { i, nodePort: port.nodePort, before }));
    const shown = `{${port.protocol} ${port.nodePort}}`;
    if (seen.has(shown)) throw unexplained(`duplicate nodePort: ${shown}`);
    seen.add(shown);
  }
}

interface Asked {
  readonly i: number;
  readonly nodePort: number;
  readonly before: Before;
}

function takeNodePort({ allocation, refuse }: Allocating, { i, nodePort, before }: Asked): number {
  const problem = before?.healthCheckNodePort === nodePort ? portAllocated : allocation.allocatePort(nodePort);
  return problem === undefined ? nodePort : refuse(field.invalid(`spec.ports[${i}].nodePort`, nodePort, problem));
}

function nextNodePort({ allocation }: Allocating): number {
  const free = allocation.nextPort();
  if (free === undefined) throw internalError("failed to allocate a nodePort: range is full");
  return free;
}

/** Where load balancers ask whether a Node has endpoints of the Service. */
export function allocateHealthCheckPort({ allocation }: Allocating, spec: Spec, before: Before): void {
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) {
    const free = allocation.nextPort();
    if (free === undefined) throw internalError("failed to allocate a HealthCheck NodePort 0: range is full");
    spec.healthCheckNodePort = free;
    return;
  }
  const isNodePort = before?.ports?.some(({ nodePort }) => nodePort === asked);
  const problem = isNodePort ? portAllocated : allocation.allocatePort(asked);
  if (problem !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`);
}
