/** What a Service's type and settings imply. */
import type { Service, ServiceSpec } from "@coxswain/types/core-v1";

type Spec = Readonly<ServiceSpec>;

const noSpec: Spec = {};

/** The spec of a Service; an empty one where it has none. */
export const serviceSpecOf = (service: Readonly<Service>): Spec => service.spec ?? noSpec;

/** Whether a Service asks for no address of its own: `clusterIPs: [None]`. */
export const isHeadless = ({ clusterIPs }: Spec): boolean => clusterIPs?.length === 1 && clusterIPs[0] === "None";

/** Whether a Service has an address in the cluster. */
export const isIpSet = ({ clusterIP = "" }: Spec): boolean => clusterIP !== "" && clusterIP !== "None";

/** Whether a Service of that type gets an address in the cluster, unless it is headless. */
export const needsClusterIp = ({ type }: Spec): boolean => type !== "ExternalName";

/** Whether a Service of that type may have ports on each Node. */
export const needsNodePort = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";

/** Whether such a Service gets them by itself: a load balancer may do without. */
export const getsNodePort = ({ type, allocateLoadBalancerNodePorts }: Spec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);

/** Whether a Service gets a port at which load balancers ask Nodes for its local endpoints. */
export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: Spec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

/** Whether traffic from outside the cluster reaches it. */
export const isExternallyAccessible = ({ type, externalIPs = [] }: Spec): boolean =>
  type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
