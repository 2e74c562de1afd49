/** How nodes that share a machine are joined: names and addresses, computed from what a cluster is and what the machine has already. */
import { createHash } from "node:crypto";
import { type Cidr, cidrContains, formatCidr, formatIp, parseCidr, parseIp } from "@coxswain/machinery";
import { StartError } from "../../process/start-error.ts";

/** A node with a network namespace of its own. */
export interface NamespacedNode {
  readonly name: string;
  /** As `ip netns` has it. */
  readonly namespace: string;
  /** The end of its link that is in the bridge; the other one is `eth0` in the namespace. */
  readonly link: string;
  readonly address: string;
  /** Where the cluster has Pods with IPv6. */
  readonly address6: string | undefined;
}

export interface NetworkPlan {
  /** Of the cluster: no other one on this machine has it. */
  readonly id: string;
  readonly bridge: string;
  /** Of nftables. */
  readonly table: string;
  /** All of the nodes' addresses. */
  readonly range: string;
  /** This machine's own among them. */
  readonly gateway: string;
  readonly prefixLength: number;
  /** The same of IPv6, of 64 bits; undefined where the cluster has none. */
  readonly gateway6: string | undefined;
  readonly nodes: readonly NamespacedNode[];
}

export interface NetworkWanted {
  readonly id: string;
  readonly range: string;
  readonly hasIpv6: boolean;
  readonly nodes: readonly string[];
}

/** The same for the same folder: what a process that was killed has left is found again. */
export const clusterId = (rootDir: string): string => createHash("sha256").update(rootDir).digest("hex").slice(0, 6);

/** @throws StartError for a range that has too few addresses */
export function planNetwork({ id, range, hasIpv6, nodes }: NetworkWanted): NetworkPlan {
  const cidr = parseRange(range);
  const { prefixLength } = cidr;
  // The first is the network's own, the second this machine's, and the last everybody's.
  const most = 2 ** (32 - prefixLength) - 3;
  if (nodes.length > most) throw new StartError(`--node-range ${range} has addresses for ${Math.max(most, 0)} nodes, not ${nodes.length}`);
  const first = firstOf(cidr);
  const addressAt = (index: number): string => formatIp({ ...cidr.address, bits: first + BigInt(index) });
  return {
    id,
    ...networkNames(id),
    range: formatCidr(cidr),
    gateway: addressAt(1),
    prefixLength,
    gateway6: hasIpv6 ? address6At(id, 1) : undefined,
    nodes: nodes.map((name, index) => ({
      name,
      namespace: namespaceName(id, name),
      link: `${networkNames(id).bridge}-${index + 1}`,
      address: addressAt(index + 2),
      address6: hasIpv6 ? address6At(id, index + 2) : undefined,
    })),
  };
}

/** Of addresses that nobody else uses, by RFC 4193: the cluster's id is what is random in it. */
function address6At(id: string, index: number): string {
  const first = parseIp(`fd13:${id.slice(0, 4)}:${id.slice(4)}00::`);
  if (first === undefined) throw new RangeError(`${id} is no id of a cluster`);
  return formatIp({ ...first, bits: first.bits + BigInt(index) });
}

/** Those of interfaces may have no more than 15 characters. */
export const networkNames = (id: string): Pick<NetworkPlan, "bridge" | "table"> => ({
  bridge: `cxw-${id}`,
  table: `coxswain-nodes-${id}`,
});

export const namespacePrefix = (id: string): string => `coxswain-${id}-`;

const namespaceName = (id: string, node: string): string => `${namespacePrefix(id)}${node}`;

/** Of IPv4: the bits beyond the prefix are zero. */
function firstOf({ address: { bits }, prefixLength }: Cidr): bigint {
  const rest = BigInt(32 - prefixLength);
  return (bits >> rest) << rest;
}

/** @throws StartError */
function parseRange(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined || cidr.address.family !== 4 || cidr.address.mapped)
    throw new StartError(`--node-range ${text} is no range of IPv4 addresses, as 10.213.7.0/24`);
  return cidr;
}

/** Of these 256 ranges the one that the cluster's id says is looked at first: two that start at the same time take different ones. */
const candidates = Array.from({ length: 256 }, (_, third) => `10.213.${third}.0/24`);

/** The first that overlaps nothing of `used`. @throws StartError where all do */
export function chooseRange(id: string, used: readonly string[]): string {
  const taken = used.flatMap((text) => parseCidr(text) ?? []);
  const start = Number.parseInt(id.slice(0, 2), 16);
  const ordered = [...candidates.slice(start), ...candidates.slice(0, start)];
  const free = ordered.find((text) => !taken.some((one) => overlap(one, parseRange(text))));
  if (free === undefined)
    throw new StartError("all of 10.213.0.0/16 is in use on this machine: choose addresses for nodes with --node-range");
  return free;
}

/** What of `used` a range overlaps. */
export function overlapping(range: string, used: readonly string[]): readonly string[] {
  const cidr = parseRange(range);
  return used.filter((text) => {
    const other = parseCidr(text);
    return other !== undefined && overlap(other, cidr);
  });
}

const overlap = (one: Cidr, other: Cidr): boolean => cidrContains(one, other.address) || cidrContains(other, one.address);

interface Route {
  readonly dst?: string;
  readonly dev?: string;
  readonly type?: string;
}

/** Where a machine's routes lead, of `ip -json route show table all`: but for those that lead everywhere, and those over `except`. */
export function rangesInUse(routes: readonly Route[], except: string): readonly string[] {
  return routes.flatMap(({ dst, dev }) => {
    if (dst === undefined || dst === "default" || dev === except) return [];
    return [dst.includes("/") ? dst : `${dst}/${dst.includes(":") ? 128 : 32}`];
  });
}
