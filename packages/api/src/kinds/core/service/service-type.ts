/** What a Service's type and settings imply. */
import type { Service, ServiceSpec } from "../../../types/core-v1.ts";

type Spec = Readonly<ServiceSpec>;

const noSpec: Spec = {};

export const serviceSpecOf = (service: Readonly<Service>): Spec => service.spec ?? noSpec;

export const isHeadless = ({ clusterIPs }: Spec): boolean => clusterIPs?.length === 1 && clusterIPs[0] === "None";

export const isIpSet = ({ clusterIP = "" }: Spec): boolean => clusterIP !== "" && clusterIP !== "None";

export const needsClusterIp = ({ type }: Spec): boolean => type !== "ExternalName";

export const needsNodePort = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: Spec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

/** Whether traffic from outside the cluster reaches it. */
export const isExternallyAccessible = ({ type, externalIPs = [] }: Spec): boolean =>
  type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
