/** The options of nodes: of `coxswain` as of `coxswain kubelet`. Those that the kubelet has too are called as there. */
import { isIP } from "node:net";
import { parseCidr } from "@coxswain/machinery";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDomain, parseList, parsePort } from "./parse-values.ts";

export const runtimeChoices = ["auto", "cri", "process", "simulated"] as const;
export type RuntimeChoice = (typeof runtimeChoices)[number];

/** The options of a node, parsed; the kubelet's own have its names. */
export interface NodeOptions {
  readonly runtime: RuntimeChoice;
  /** More than one are simulated, or have each a network namespace and a containerd of its own on this machine. */
  readonly nodes: number;
  /** Undefined: this machine's name, or `node-1` and so on of simulated ones. */
  readonly nodeName: string | undefined;
  /** Path of a socket. */
  readonly runtimeEndpoint: string;
  /** Undefined keeps them beside the rest of the data. */
  readonly rootDir: string | undefined;
  readonly cgroupRoot: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly maxPods: number;
  readonly staticPods: string | undefined;
  /** As `--eviction-hard` has it; undefined for the default. */
  readonly evictionHard: string | undefined;
  /** The DNS servers of Pods; none leaves them with the node's own. */
  readonly clusterDns: readonly string[];
  /** What the names of the cluster end with. */
  readonly clusterDomain: string;
  /** The node's resolv.conf; empty for none. */
  readonly resolvConf: string;
  /** Of the kubelet's own server; 0 takes any free one. */
  readonly kubeletPort: number;
  /** At which others reach the node, at most one of each family; undefined for what is found out. */
  readonly nodeIps?: readonly string[] | undefined;
  /** The addresses of several nodes with containers; undefined takes a range that is free. */
  readonly nodeRange?: string | undefined;
  /** Archives of images that each of several nodes with containers has from its start. */
  readonly nodeImages?: readonly string[];
  /** What holds the namespaces of Pods on such nodes; undefined for containerd's own choice. */
  readonly sandboxImage?: string | undefined;
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface ParsedNodeOptions {
  readonly runtime: RuntimeChoice;
  readonly nodes: number;
  readonly nodeName?: string;
  readonly containerRuntimeEndpoint: string;
  readonly rootDir?: string;
  readonly cgroupRoot: string;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly registerWithTaints: readonly Taint[];
  readonly maxPods: number;
  readonly podManifestPath?: string;
  readonly evictionHard?: string;
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  readonly resolvConf: string;
  readonly kubeletPort: number;
  readonly nodeIp?: readonly string[];
  readonly nodeRange?: string;
  readonly nodeImages?: readonly string[];
  readonly podInfraContainerImage?: string;
}

export const addNodeOptions = (command: Command): Command =>
  command
    .addOption(new Option("--runtime <which>", "what runs containers").choices(runtimeChoices).default("auto"))
    .option("--nodes <number>", "how many nodes; more than one are simulated, or with --runtime=cri have a containerd each", parseCount, 1)
    .option("--node-name <name>", "what the node is called (default: as this machine)")
    .option("--container-runtime-endpoint <socket>", "of containerd or another CRI runtime", parseSocket, "/run/containerd/containerd.sock")
    .option("--root-dir <dir>", "where volumes and logs of Pods are kept (default: beside the state)")
    .option("--cgroup-root <name>", "the cgroup below which those of Pods are made", "coxswain")
    .option("--node-labels <labels>", "more labels of the node: key=value,…", parseLabels, {})
    .option("--register-with-taints <taints>", "taints of a new node: key=value:effect,…", parseTaints, [])
    .option("--max-pods <number>", "how many Pods a node takes", parseCount, 110)
    .option("--pod-manifest-path <dir>", "a folder of Pods that the node runs by itself")
    .option("--eviction-hard <thresholds>", "when Pods are evicted, as memory.available<100Mi,nodefs.available<10%")
    .option("--cluster-dns <addresses>", "what Pods are told to ask for names (default: none, they ask whom the node asks)", parseList, [])
    .option("--cluster-domain <name>", "what the names of the cluster end with", parseDomain, "cluster.local")
    .option("--resolv-conf <file>", "what Pods take from the node's resolver; empty for nothing", "/etc/resolv.conf")
    .option("--node-ip <addresses>", "the Node's InternalIPs, one or one of each family (default: where it is reached)", parseNodeIps)
    .option("--kubelet-port <number>", "where the kubelet serves logs and the like; 0 takes any free port", parsePort, 0);

/** And of those that `coxswain` itself starts, each with a network namespace and a containerd. */
export const addNamespacedNodeOptions = (command: Command): Command =>
  command
    .option("--node-range <cidr>", "with --runtime=cri: addresses of several nodes (default: a free range of 10.213.0.0/16)", parseRange)
    .option("--node-images <archives>", "with --runtime=cri: images that each of several nodes has from its start", parseList, [])
    .option("--pod-infra-container-image <image>", "with --runtime=cri: what holds the namespaces of Pods of several nodes");

export const nodeOptionsOf = (parsed: ParsedNodeOptions): NodeOptions => ({
  runtime: parsed.runtime,
  nodes: parsed.nodes,
  nodeName: parsed.nodeName,
  runtimeEndpoint: parsed.containerRuntimeEndpoint,
  rootDir: parsed.rootDir,
  cgroupRoot: parsed.cgroupRoot,
  labels: parsed.nodeLabels,
  taints: parsed.registerWithTaints,
  maxPods: parsed.maxPods,
  staticPods: parsed.podManifestPath,
  evictionHard: parsed.evictionHard,
  clusterDns: parsed.clusterDns,
  clusterDomain: parsed.clusterDomain,
  resolvConf: parsed.resolvConf,
  kubeletPort: parsed.kubeletPort,
  nodeIps: parsed.nodeIp,
  nodeRange: parsed.nodeRange,
  nodeImages: parsed.nodeImages ?? [],
  sandboxImage: parsed.podInfraContainerImage,
});

function parseNodeIps(text: string): readonly string[] {
  const addresses = parseList(text);
  const families = new Set(addresses.map(isIP));
  if (addresses.length === 0 || families.has(0) || families.size < addresses.length)
    throw new InvalidArgumentError("It must be an IP address, or one of each family: 192.0.2.1,2001:db8::1.");
  return addresses;
}

function parseRange(text: string): string {
  const cidr = parseCidr(text);
  if (cidr === undefined || cidr.leadingZeros || cidr.address.family !== 4 || cidr.address.mapped)
    throw new InvalidArgumentError("It must be a range of IPv4 addresses, as 10.213.7.0/24.");
  return text;
}

function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= 1)) throw new InvalidArgumentError("It must be a number from 1 on.");
  return count;
}

export function parseSocket(text: string): string {
  const path = text.startsWith("unix://") ? text.slice("unix://".length) : text;
  if (!path.startsWith("/")) throw new InvalidArgumentError("It must be a path, or unix:// and a path.");
  return path;
}

const partsOf = (text: string): string[] => text.split(",").filter((part) => part !== "");

function parseLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    partsOf(text).map((part) => {
      const [key = "", value, ...rest] = part.split("=");
      if (key === "" || value === undefined || rest.length > 0) throw new InvalidArgumentError("They must be like key=value,key=value.");
      return [key, value];
    }),
  );
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function parseTaints(text: string): Taint[] {
  return partsOf(text).map((part) => {
    const [, key, value, effect] = /^([^=:]+)(?:=([^=:]*))?:([^=:]+)$/.exec(part) ?? [];
    if (key === undefined || effect === undefined || !effects.includes(effect))
      throw new InvalidArgumentError(`They must be like key=value:effect; effects are ${effects.join(", ")}.`);
    return { key, effect, ...(value === undefined || value === "" ? {} : { value }) };
  });
}
