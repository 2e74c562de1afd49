/** What clients may call the server: the names and addresses in its certificate. */
import { isIP, isIPv4 } from "node:net";
import type { ServedNames } from "@coxswain/pki/node";

const dns = [
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster",
  "kubernetes.default.svc.cluster.local",
];

export interface Surroundings {
  /** What the server listens on. */
  readonly address: string;
  readonly hostname: string;
  /** The machine's own addresses: used when it listens on all of them. */
  readonly addresses: readonly string[];
  /** Of the Service `kubernetes`. */
  readonly serviceIp: string;
}

export function servedNames({ address, hostname, addresses, serviceIp }: Surroundings): ServedNames {
  const listening = isUnspecified(address) ? addresses.filter((one) => isIP(one) !== 0) : [address];
  return {
    dns: [...new Set(isDnsName(hostname) ? [...dns, hostname.toLowerCase()] : dns)],
    ip: [...new Set(["127.0.0.1", "::1", serviceIp, ...listening])],
  };
}

/** Listens on every address there is. */
export const isUnspecified = (address: string): boolean => address === "0.0.0.0" || address === "::";

/** Reached from this machine alone. */
export const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1";

const isDnsName = (name: string): boolean => /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(name) && !isIPv4(name);
