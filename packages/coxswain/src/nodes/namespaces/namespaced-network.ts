/** A bridge, and for each node a network namespace with a link into it: made, found again, and removed. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { deleteLink, type Ip, ipProgram, listLinks, parseLinks } from "./links.ts";
import { type NamespacedNode, type NetworkPlan, namespacePrefix, networkNames } from "./network-plan.ts";
import { inNamespace, runProgram } from "./run-program.ts";

/** What nodes and their Pods may send to others through this machine, and what they have asked for. */
export interface Forwarding {
  /** The ranges of Pods. */
  readonly clusterCidrs: readonly string[];
}

/**
 * Makes what is missing. What is there but not as planned is made anew. Packets that leave for other machines bear this machine's
 * address, where it forwards at all.
 * @throws ProgramError
 */
export async function ensureNetwork(plan: NetworkPlan, { clusterCidrs }: Forwarding): Promise<{ readonly forwards: boolean }> {
  const { bridge, gateway, gateway6, prefixLength } = plan;
  if (!(await hasAddresses(ip(), bridge, [gateway, gateway6]))) {
    await deleteLink(ip(), bridge);
    await ip()("link", "add", bridge, "type", "bridge");
    await ip()("address", "add", `${gateway}/${prefixLength}`, "dev", bridge);
    if (gateway6 !== undefined) await addAddress6(ip(), bridge, gateway6);
  }
  await ip()("link", "set", bridge, "up");
  await Promise.all(plan.nodes.map((node) => ensureNode(plan, node)));
  const forwards = readFileSync("/proc/sys/net/ipv4/ip_forward", "utf8").trim() === "1";
  if (forwards) await runProgram(["nft", "-f", "-"], masquerade(plan, clusterCidrs));
  return { forwards };
}

/** Whether all is there as planned: then what runs in the namespaces may go on. */
export async function isNetworkThere(plan: NetworkPlan): Promise<boolean> {
  const there = await Promise.all([
    hasAddresses(ip(), plan.bridge, [plan.gateway, plan.gateway6]),
    ...plan.nodes.map((node) => isNodeThere(plan, node)),
  ]);
  return there.every((one) => one);
}

/** Of a cluster with this id, whatever is there of it; nothing happens where nothing is. @throws ProgramError */
export async function removeNetwork(id: string): Promise<void> {
  const { bridge, table } = networkNames(id);
  // A link ends with the namespace that one end of it is in, but some time later.
  const links = (await namesOf(ip())).filter((name) => name === bridge || name.startsWith(`${bridge}-`));
  for (const link of links) await deleteLink(ip(), link);
  for (const namespace of namespacesOf(id)) await removeNamespace(namespace);
  const tables = await runProgram(["nft", "list", "tables", "ip"]);
  if (tables.split("\n").includes(`table ip ${table}`)) await runProgram(["nft", "delete", "table", "ip", table]);
}

/** A node that is not wanted any more. @throws ProgramError */
export async function removeNode({ namespace, link }: Pick<NamespacedNode, "namespace" | "link">): Promise<void> {
  await deleteLink(ip(), link);
  await removeNamespace(namespace);
}

/** Those that there are of a cluster. */
export function namespacesOf(id: string): readonly string[] {
  try {
    return readdirSync(namespaceFolder).filter((name) => name.startsWith(namespacePrefix(id)));
  } catch {
    // None was ever made.
    return [];
  }
}

const namespaceFolder = "/run/netns";
const nodeLink = "eth0";

const ip = (namespace?: string): Ip => ipProgram(namespace === undefined ? [] : ["-n", namespace]);

async function ensureNode(plan: NetworkPlan, node: NamespacedNode): Promise<void> {
  const { namespace, link, address, address6 } = node;
  const inside = ip(namespace);
  if (!(await isNodeThere(plan, node))) {
    await deleteLink(ip(), link);
    if (namespacesOf(plan.id).includes(namespace)) await removeNamespace(namespace);
    await ip()("netns", "add", namespace);
    await ip()("link", "add", link, "type", "veth", "peer", "name", nodeLink, "netns", namespace);
    await inside("address", "add", `${address}/${plan.prefixLength}`, "dev", nodeLink);
    if (address6 !== undefined) await addAddress6(inside, nodeLink, address6);
  }
  await ip()("link", "set", link, "master", plan.bridge, "up");
  for (const name of ["lo", nodeLink]) await inside("link", "set", name, "up");
  await inside("route", "replace", "default", "via", plan.gateway);
  await runProgram([...inNamespace(namespace), "tee", "/proc/sys/net/ipv4/ip_forward"], "1");
  if (plan.gateway6 === undefined) return;
  await inside("-6", "route", "replace", "default", "via", plan.gateway6);
  await runProgram([...inNamespace(namespace), "tee", "/proc/sys/net/ipv6/conf/all/forwarding"], "1");
  // Links of Pods have the same gateway, which counts at once: nobody else has it.
  await runProgram([...inNamespace(namespace), "tee", "/proc/sys/net/ipv6/conf/default/accept_dad"], "0");
}

/** It counts at once: nobody else has it. @throws ProgramError */
const addAddress6 = async (run: Ip, link: string, address: string): Promise<void> =>
  void (await run("address", "add", `${address}/64`, "dev", link, "nodad"));

async function isNodeThere(plan: NetworkPlan, { namespace, link, address, address6 }: NamespacedNode): Promise<boolean> {
  if (!namespacesOf(plan.id).includes(namespace)) return false;
  return (await namesOf(ip())).includes(link) && (await hasAddresses(ip(namespace), nodeLink, [address, address6]));
}

/** Not where there is no such link. */
async function hasAddresses(run: Ip, link: string, wanted: readonly (string | undefined)[]): Promise<boolean> {
  const links = parseLinks(await run("-json", "address", "show").catch(() => ""));
  const there = links
    .filter(({ ifname }) => ifname === link)
    .flatMap(({ addr_info: addresses = [] }) => addresses.map(({ local }) => local));
  return wanted.every((address) => address === undefined || there.includes(address));
}

const namesOf = async (run: Ip): Promise<readonly string[]> => (await listLinks(run)).flatMap(({ ifname }) => ifname ?? []);

/** A mount, and the file that it is on: where the mount has ended with the mount namespace of a process, the file is left. */
async function removeNamespace(namespace: string): Promise<void> {
  try {
    await runProgram(["ip", "netns", "delete", namespace]);
  } catch {
    // Where it is a mount after all, this says so.
    rmSync(`${namespaceFolder}/${namespace}`, { force: true });
  }
}

function masquerade({ table, bridge, range }: NetworkPlan, clusterCidrs: readonly string[]): string {
  const inside = [range, ...clusterCidrs.filter((one) => !one.includes(":"))].join(", ");
  return [
    `table ip ${table}`,
    `delete table ip ${table}`,
    `table ip ${table} {`,
    "  chain postrouting {",
    "    type nat hook postrouting priority srcnat; policy accept;",
    `    ip saddr { ${inside} } ip daddr != { ${inside} } oifname != "${bridge}" masquerade`,
    "  }",
    "}",
    "",
  ].join("\n");
}
