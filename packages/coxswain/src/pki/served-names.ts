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
  /** What else clients call it: DNS names and addresses. */
  readonly extra?: readonly string[];
}

export function servedNames({ address, hostname, addresses, serviceIp, extra = [] }: Surroundings): ServedNames {
  const listening = isUnspecified(address) ? addresses.filter((one) => isIP(one) !== 0) : [address];
  return {
    dns: [
      ...new Set([...dns, ...[hostname].filter(isDnsName), ...extra.filter((name) => isIP(name) === 0)].map((name) => name.toLowerCase())),
    ],
    ip: [...new Set(["127.0.0.1", "::1", serviceIp, ...listening, ...extra.filter((name) => isIP(name) !== 0)])],
  };
}

/** Listens on every address there is. */
export const isUnspecified = (address: string): boolean => address === "0.0.0.0" || address === "::";

/** Reached from this machine alone. */
export const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1";

const isDnsName = (name: string): boolean => /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(name) && !isIPv4(name);
