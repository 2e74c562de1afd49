/** What NetworkPolicies need to know of a Pod. */
import type { api } from "@coxswain/client";
import { formatIp, type Labels, parseIp } from "@coxswain/machinery";
import type { IpFamily } from "@coxswain/proxy";

/** The protocols that policies tell apart, as nftables writes them. */
export type Protocol = "tcp" | "udp" | "sctp";

/** A Pod that has addresses of its own, or will have. */
export interface PolicyPod {
  /** Of all Pods that there ever are. */
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly nodeName: string;
  /** Empty while none is known. */
  readonly addresses: Readonly<Partial<Record<IpFamily, string>>>;
  /** Those that have a name. */
  readonly ports: readonly NamedPort[];
  /** Whoever is younger has an address that two claim. */
  readonly createdAt: string;
  /** The uid of the static Pod that it shows; undefined: it is none's mirror. */
  readonly mirrorOf?: string;
}

/** A port of a container. */
export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** Undefined for Pods that policies are not about: those in the network of their node, and those that have ended, whose address may be another's. */
export function policyPod({ metadata, spec, status }: api.coreV1.Pod): PolicyPod | undefined {
  const hasEnded = status?.phase === "Succeeded" || status?.phase === "Failed";
  if (hasEnded || spec?.hostNetwork === true || spec?.nodeName === undefined) return undefined;
  const mirrorOf = metadata?.annotations?.["kubernetes.io/config.mirror"];
  return {
    uid: metadata?.uid ?? "",
    namespace: metadata?.namespace ?? "",
    name: metadata?.name ?? "",
    labels: metadata?.labels ?? {},
    nodeName: spec.nodeName,
    addresses: addressesOf(status),
    ports: namedPorts(spec),
    createdAt: metadata?.creationTimestamp ?? "",
    ...(mirrorOf === undefined ? {} : { mirrorOf }),
  };
}

/** Undefined for what Kubernetes does not know; TCP where none is named. */
export function protocolOf(text: string | undefined): Protocol | undefined {
  const protocol = (text ?? "TCP").toLowerCase();
  return protocol === "tcp" || protocol === "udp" || protocol === "sctp" ? protocol : undefined;
}

/** The first of each family. */
function addressesOf(status: api.coreV1.PodStatus | undefined): PolicyPod["addresses"] {
  const found: Partial<Record<IpFamily, string>> = {};
  for (const text of [...(status?.podIPs ?? []).map(({ ip }) => ip), status?.podIP]) {
    const ip = parseIp(text ?? "");
    if (ip !== undefined) found[ip.family === 4 ? "IPv4" : "IPv6"] ??= formatIp(ip);
  }
  return found;
}

/** Of containers that run beside each other: sidecars are init containers that go on. */
function namedPorts({ containers, initContainers = [] }: api.coreV1.PodSpec): readonly NamedPort[] {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ name, containerPort, protocol: text }) => {
      const protocol = protocolOf(text);
      return name === undefined || protocol === undefined ? [] : [{ name, protocol, port: containerPort }];
    }),
  );
}
