/** The options of nodes: of `coxswain` as of `coxswain kubelet`. Those that the kubelet has too are called as there. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDomain, parseList, parsePort } from "./parse-values.ts";

export const runtimeChoices = ["auto", "cri", "process", "simulated"] as const;
export type RuntimeChoice = (typeof runtimeChoices)[number];

/** The options of a node, parsed; the kubelet's own have its names. */
export interface NodeOptions {
  readonly runtime: RuntimeChoice;
  /** Only simulated ones can be more than one. */
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
}

export const addNodeOptions = (command: Command): Command =>
  command
    .addOption(new Option("--runtime <which>", "what runs containers").choices(runtimeChoices).default("auto"))
    .option("--nodes <number>", "how many nodes; only simulated ones can be more than one", parseCount, 1)
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
    .option("--kubelet-port <number>", "where the kubelet serves logs and the like; 0 takes any free port", parsePort, 0);

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
});

function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= 1)) throw new InvalidArgumentError("It must be a number from 1 on.");
  return count;
}

function parseSocket(text: string): string {
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
