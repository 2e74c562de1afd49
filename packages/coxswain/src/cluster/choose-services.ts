/** What leads to Services from Pods that are real containers, and who answers their names. */
import { isIP } from "node:net";
import type { ServiceIpRanges } from "@coxswain/apiserver";
import { cidrContains, parseCidr, parseIp } from "@coxswain/machinery";
import { areNamespaced, type ChosenRuntime } from "../nodes/choose-runtime.ts";
import type { Options } from "../options/cluster-options.ts";

/** Where Pods are simulated, nothing of it is needed. */
export interface ChosenServices {
  /** Of the node that this machine is, or of each of several nodes on it; undefined: none is started. */
  readonly proxy: "machine" | "nodes" | undefined;
  /** Undefined: names are left to others, or to nobody. */
  readonly dns: ChosenDns | undefined;
  /** For people: `led to their Pods by nftables rules; names are answered at 10.96.0.10`. */
  readonly why: string;
}

export interface ChosenDns {
  /** Of the Service kube-dns, and what Pods are told. */
  readonly clusterIps: readonly string[];
  /** Where this machine answers. */
  readonly addresses: readonly string[];
}

/** What of the options counts here. */
export type ServiceOptions = Pick<Options, "kubeProxy" | "clusterDns" | "node">;

export interface ServiceSurroundings {
  /** Where Pods can reach this machine, best first. */
  readonly dnsAddresses: readonly string[];
  /** Of Services. Where `--cluster-dns` names no address of kube-dns, it is of the first, as kubeadm has it. */
  readonly ranges: Pick<ServiceIpRanges, "cidrs" | "dnsIp">;
}

export async function chooseServices(
  options: ServiceOptions,
  runtime: ChosenRuntime | undefined,
  surroundings: ServiceSurroundings,
  problemWithRules: () => Promise<string | undefined> = problemWithNft,
): Promise<ChosenServices | undefined> {
  if (runtime?.kind !== "cri") return undefined;
  const { kubeProxy = true, node } = options;
  const problem = kubeProxy ? await problemWithRules() : undefined;
  if (problem !== undefined) return { proxy: undefined, dns: undefined, why: `not reached by Pods: ${problem}` };
  const { dns, text } = chooseDns(options, surroundings);
  const proxy = node !== undefined && areNamespaced(node) ? "nodes" : "machine";
  return {
    proxy: kubeProxy ? proxy : undefined,
    dns,
    why: `${kubeProxy ? "led to their Pods by nftables rules" : "left to another proxy"}; ${text}`,
  };
}

function chooseDns({ clusterDns = true, node }: ServiceOptions, { dnsAddresses, ranges }: ServiceSurroundings) {
  const requested = node?.clusterDns ?? [];
  const clusterIps = requested.length === 0 ? [ranges.dnsIp] : requested;
  if (!clusterDns) return { dns: undefined, text: "names are left to another server" };
  if (!clusterIps.every((ip) => ranges.cidrs.some((cidr) => contains(cidr, ip))))
    return { dns: undefined, text: `names are left to ${clusterIps.join(", ")}` };
  // An address of the Service leads to one of its family.
  const addresses = dnsAddresses.filter((address) => clusterIps.some((ip) => isIP(ip) === isIP(address)));
  if (addresses.length === 0) return { dns: undefined, text: "names are not answered, since Pods cannot reach this machine" };
  return { dns: { clusterIps, addresses }, text: `names are answered at ${clusterIps.join(", ")}` };
}

function contains(range: string, address: string): boolean {
  const cidr = parseCidr(range);
  const ip = parseIp(address);
  return cidr !== undefined && ip !== undefined && cidrContains(cidr, ip);
}

/** Why this user or this machine can have no rules; undefined: they can. */
export async function problemWithNft(): Promise<string | undefined> {
  const { NftError, nftProgram } = await import("@coxswain/proxy");
  try {
    await nftProgram().tableHandle("IPv4");
    return undefined;
  } catch (error) {
    if (error instanceof NftError)
      return `that needs root, or CAP_NET_ADMIN, and Debian's package nftables (${error.message.split("\n", 1)[0]})`;
    throw error;
  }
}
