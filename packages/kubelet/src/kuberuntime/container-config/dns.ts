/**
 * Which name servers a Pod asks, and how.
 * @see https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy
 */
import { goQuote } from "@coxswain/machinery";
import type { Pod } from "../../pod/pod.ts";
import type { SandboxConfig } from "../../runtime/runtime-config.ts";

export type DnsConfig = NonNullable<SandboxConfig["dns"]>;

export interface DnsSettings {
  /** Addresses of the cluster's DNS service; none: Pods use the node's resolvers. */
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** What the node's own resolv.conf says; undefined where it has none. */
  readonly host: DnsConfig | undefined;
  /** Of the node: where it has no resolv.conf, Pods ask it by an address of each family that it has. */
  readonly hostIps: readonly string[];
}

/** What had to be left out, or done otherwise: for events. */
export interface DnsProblem {
  readonly reason: "MissingClusterDNS" | "DNSConfigForming";
  readonly message: string;
}

const maxServers = 3;
const maxSearches = 32;
const maxSearchText = 2048;
const maxSearchName = 253;
/** No resolver reads more. */
const maxFileLength = 10 * 1024 * 1024;

export function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  let searches: readonly string[] = [];
  const options = new Map<string, string>();
  for (const line of text.slice(0, maxFileLength).split("\n")) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === "nameserver" && values[0] !== undefined) servers.push(values[0]);
    // The last one wins.
    else if (keyword === "search") searches = values.filter((one) => one !== ".").map((one) => one.replace(/\.$/, ""));
    else if (keyword === "options") for (const option of values) options.set(option.split(":", 1)[0] ?? option, option);
  }
  return { servers, searches, options: [...options.values()] };
}

export function dnsOf(pod: Pod, settings: DnsSettings): { readonly config: DnsConfig; readonly problems: readonly DnsProblem[] } {
  const problems: DnsProblem[] = [];
  const base = baseOf(pod, settings, problems);
  const { nameservers = [], searches = [], options = [] } = pod.spec?.dnsConfig ?? {};
  const merged =
    pod.spec?.dnsConfig === undefined
      ? base
      : {
          servers: unique([...base.servers, ...nameservers]),
          searches: unique([...base.searches, ...searches]),
          options: mergedOptions(base.options, options),
        };
  return {
    config: { ...merged, servers: fewServers(merged.servers, problems), searches: shortSearches(merged.searches, problems) },
    problems,
  };
}

function baseOf(pod: Pod, { clusterDns, clusterDomain, host, hostIps }: DnsSettings, problems: DnsProblem[]): DnsConfig {
  const { dnsPolicy = "ClusterFirst", hostNetwork } = pod.spec ?? {};
  if (dnsPolicy === "None") return { servers: [], searches: [], options: [] };
  const asksCluster = dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && hostNetwork !== true);
  const ofHost = host ?? { servers: loopbacks(hostIps), searches: ["."], options: [] };
  if (!asksCluster) return ofHost;
  if (clusterDns.length > 0) {
    const searches = clusterSearches(pod.metadata?.namespace ?? "", clusterDomain, host?.searches ?? []);
    return { servers: clusterDns, searches, options: ["ndots:5"] };
  }
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const what =
    'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
  problems.push({ reason: "MissingClusterDNS", message: `pod: ${goQuote(`${name}_${namespace}(${uid})`)}. ${what}` });
  return ofHost;
}

const loopbacks = (hostIps: readonly string[]): readonly string[] =>
  hostIps.length === 0 ? ["127.0.0.1"] : hostIps.map((address) => (address.includes(":") ? "::1" : "127.0.0.1"));

const clusterSearches = (namespace: string, domain: string, host: readonly string[]): readonly string[] =>
  domain === "" ? host : unique([`${namespace}.svc.${domain}`, `svc.${domain}`, domain, ...host]);

function mergedOptions(base: readonly string[], more: readonly { readonly name?: string; readonly value?: string }[]): readonly string[] {
  const options = new Map(base.map((option) => [option.split(":", 1)[0] ?? option, option]));
  for (const { name = "", value = "" } of more) options.set(name, value === "" ? name : `${name}:${value}`);
  return [...options.values()];
}

function fewServers(servers: readonly string[], problems: DnsProblem[]): readonly string[] {
  if (servers.length <= maxServers) return servers;
  const kept = servers.slice(0, maxServers);
  const message = `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${kept.join(" ")}`;
  problems.push({ reason: "DNSConfigForming", message });
  return kept;
}

function shortSearches(searches: readonly string[], problems: DnsProblem[]): readonly string[] {
  const kept = searches.slice(0, maxSearches).filter((one) => one.length <= maxSearchName);
  while (kept.join(" ").length > maxSearchText) kept.pop();
  if (kept.length === searches.length) return searches;
  const message = `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${kept.join(" ")}`;
  problems.push({ reason: "DNSConfigForming", message });
  return kept;
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];
