/**
 * A Pod's own `/etc/hosts`.
 * @see https://kubernetes.io/docs/tasks/network/customize-hosts-file-for-pods/
 */
import { readFileSync } from "node:fs";
import type { Pod } from "../../pod/pod.ts";

const managed = "# Kubernetes-managed hosts file.\n";
const managedFromHost = "# Kubernetes-managed hosts file (host network).\n";
const local = [
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
];

export interface HostName {
  readonly name: string;
  /** Empty: none. */
  readonly domain: string;
}

/** Undefined: with the network of its own but no address yet, a Pod has none. */
export function hostsFile({ spec }: Pod, { name, domain }: HostName, ips: readonly string[]): string | undefined {
  const aliases = aliasLines(spec?.hostAliases ?? []);
  if (spec?.hostNetwork === true) return managedFromHost + readFileSync("/etc/hosts", "utf8") + aliases;
  if (ips.length === 0) return undefined;
  const own = ips.map((ip) => (domain === "" ? `${ip}\t${name}` : `${ip}\t${name}.${domain}\t${name}`));
  return `${managed}${[...local, ...own].join("\n")}\n${aliases}`;
}

function aliasLines(aliases: readonly { readonly ip: string; readonly hostnames?: readonly string[] }[]): string {
  if (aliases.length === 0) return "";
  const lines = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join("")}`;
}
