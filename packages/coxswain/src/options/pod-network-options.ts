/** The options of `coxswain pod-network`. Those that kube-proxy and the kubelet have too are called as there. */
import type { Command } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { parseSocket } from "./node-options.ts";
import { parseCidrs, parsePort } from "./parse-values.ts";
import { addConnectionOptions, type ConnectionOptions, connectionOptionsOf, type ParsedConnectionOptions } from "./standalone-options.ts";

export interface PodNetworkCommandOptions extends ConnectionOptions {
  /** Undefined: the name of this machine. */
  readonly hostnameOverride: string | undefined;
  /** In which the ranges of Nodes have to be; none: any. */
  readonly clusterCidrs: readonly string[];
  /** Path of the container runtime's socket. */
  readonly runtimeEndpoint: string;
  /** Undefined: where the runtime says that it looks. */
  readonly cniConfDir: string | undefined;
  /** Where addresses that are given out are noted. */
  readonly addressDir: string;
  /** Undefined opens none; 0 takes any free one. */
  readonly metricsPort: number | undefined;
  /** Remove what it has made, and end. */
  readonly cleanup: boolean;
}

interface Parsed extends ParsedConnectionOptions {
  readonly hostnameOverride?: string;
  readonly clusterCidr: readonly string[];
  readonly containerRuntimeEndpoint: string;
  readonly cniConfDir?: string;
  readonly addressDir: string;
  readonly metricsPort?: number;
  readonly cleanup?: true;
}

export const podNetworkCommand = (output: Output): Command =>
  addConnectionOptions(baseCommand("pod-network", output))
    .description("Addresses for the Pods of a node, and ways to those of other nodes in its network, for any cluster. It needs root.")
    .option("--hostname-override <name>", "the name of the Node (default: the name of this machine)")
    .option("--cluster-cidr <cidrs>", "the addresses of all Pods: Nodes that have others are left out (default: any)", parseCidrs, [])
    .option("--container-runtime-endpoint <socket>", "of containerd or another CRI runtime", parseSocket, "/run/containerd/containerd.sock")
    .option("--cni-conf-dir <dir>", "where the runtime looks for CNI configurations (default: as it says)")
    .option("--address-dir <dir>", "where it is noted which addresses are given out", "/var/lib/cni/networks")
    .option("--metrics-port <number>", "serve /metrics and /healthz on this port of this machine; 0 takes any free one", parsePort)
    .option("--cleanup", "remove routes, rules, the bridge and the configuration of CNI, and end");

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parsePodNetworkOptions(args: readonly string[], output: Output): PodNetworkCommandOptions {
  const parsed = podNetworkCommand(output).parse(args, { from: "user" }).opts<Parsed>();
  return {
    ...connectionOptionsOf(parsed),
    hostnameOverride: parsed.hostnameOverride,
    clusterCidrs: parsed.clusterCidr,
    runtimeEndpoint: parsed.containerRuntimeEndpoint,
    cniConfDir: parsed.cniConfDir,
    addressDir: parsed.addressDir,
    metricsPort: parsed.metricsPort,
    cleanup: parsed.cleanup === true,
  };
}
