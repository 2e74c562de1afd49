/** The addresses and ports that a Service has. */
import type { KubeObject } from "@coxswain/machinery";
import { nameOfIp } from "./service-ip-allocator.ts";

interface Addressed {
  readonly type?: string;
  readonly clusterIPs?: readonly string[];
  readonly clusterIP?: string;
  readonly ports?: readonly { readonly nodePort?: number }[];
  readonly healthCheckNodePort?: number;
}

/** By the names of their IPAddresses. */
export function ipsOf(service: Readonly<KubeObject> | undefined): readonly string[] {
  const { type, clusterIPs, clusterIP } = (service?.spec ?? {}) as Addressed;
  if (type === "ExternalName") return [];
  return (clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP])).filter((ip) => ip !== "" && ip !== "None").map(nameOfIp);
}

/** Each once: two protocols may share one. */
export function portsOf(service: Readonly<KubeObject> | undefined): readonly number[] {
  const { ports = [], healthCheckNodePort = 0 } = (service?.spec ?? {}) as Addressed;
  return [...new Set([...ports.map(({ nodePort = 0 }) => nodePort), healthCheckNodePort])].filter((port) => port !== 0);
}
