/**
 * Which endpoints of a Service the traffic policies choose on this node.
 * @see https://kubernetes.io/docs/reference/networking/virtual-ips/#traffic-policies
 */
import type { Endpoint } from "./endpoint.ts";
import { isExternallyAccessible, type ServicePort } from "./service-port.ts";

/** Where the node is, for hints. */
export interface NodePlace {
  readonly nodeName: string;
  readonly zone: string | undefined;
}

/** The endpoints of a port by traffic policy. */
export interface CategorizedEndpoints {
  /** For policy Cluster, hints heeded; empty where the port never uses it. */
  readonly cluster: readonly Endpoint[];
  /** For policy Local; empty where the port never uses it. */
  readonly local: readonly Endpoint[];
  /** Those of both, each once. */
  readonly reachable: readonly Endpoint[];
  /** Whether any endpoint of the cluster could serve, though it may be none that this node chooses. */
  readonly hasAny: boolean;
}

/** Ready endpoints count; where there is none of them, those that end but still serve. */
export function categorizeEndpoints(endpoints: readonly Endpoint[], port: ServicePort, place: NodePlace): CategorizedEndpoints {
  const external = isExternallyAccessible(port);
  // Traffic of the node itself goes to all endpoints also where the external policy is Local.
  const usesCluster = !port.internalPolicyLocal || external;
  const usesLocal = port.internalPolicyLocal || (port.externalPolicyLocal && external);
  const cluster = usesCluster ? clusterEndpoints(endpoints, place) : [];
  const local = usesLocal ? usable(endpoints.filter(({ isLocal }) => isLocal)) : [];
  const hasAny = cluster.length > 0 || (usesLocal && usable(endpoints).length > 0);
  return { cluster, local, reachable: [...new Set([...cluster, ...local])], hasAny };
}

function clusterEndpoints(endpoints: readonly Endpoint[], place: NodePlace): readonly Endpoint[] {
  const ready = endpoints.filter((one) => one.ready);
  return ready.length > 0 ? preferred(ready, place) : usable(endpoints);
}

function usable(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const ready = endpoints.filter((one) => one.ready);
  return ready.length > 0 ? ready : endpoints.filter(({ serving, terminating }) => serving && terminating);
}

/** Hints count when every endpoint has one and some are for this place; of node and zone the node comes first. */
function preferred(ready: readonly Endpoint[], { nodeName, zone = "" }: NodePlace): readonly Endpoint[] {
  for (const prefers of [
    ({ nodeHints }: Endpoint) => ({ hints: nodeHints, place: nodeName }),
    ({ zoneHints }: Endpoint) => ({ hints: zoneHints, place: zone }),
  ]) {
    if (!ready.every((one) => prefers(one).hints.size > 0)) continue;
    const here = ready.filter((one) => prefers(one).hints.has(prefers(one).place));
    if (here.length > 0) return here;
  }
  return ready;
}
