/** The options of `coxswain proxy`, called as kube-proxy's. */
import type { DetectLocal, ListenAddress } from "@coxswain/proxy";
import { type Command, Option } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { listenAddress, parseBindAddress, parseCidrs } from "./parse-values.ts";
import {
  addConnectionOptions,
  type ConnectionOptions,
  connectionOptionsOf,
  type ParsedConnectionOptions,
  parseMilliseconds,
} from "./standalone-options.ts";

export interface ProxyCommandOptions extends ConnectionOptions {
  /** Undefined: the name of this machine. */
  readonly hostnameOverride: string | undefined;
  readonly masqueradeAll: boolean;
  readonly detectLocal: DetectLocal;
  readonly nodePortAddresses: readonly string[];
  /** Undefined answers nowhere. */
  readonly healthz: ListenAddress | undefined;
  /** Undefined answers nowhere. */
  readonly metrics: ListenAddress | undefined;
  readonly syncMs: number;
  readonly minSyncMs: number;
  /** Remove all rules and end. */
  readonly cleanup: boolean;
}

const localModes = ["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix"] as const;

interface Parsed extends ParsedConnectionOptions {
  readonly hostnameOverride?: string;
  readonly clusterCidr: readonly string[];
  readonly detectLocalMode: (typeof localModes)[number];
  readonly podBridgeInterface?: string;
  readonly podInterfaceNamePrefix?: string;
  readonly masqueradeAll?: boolean;
  readonly nodeportAddresses: readonly string[];
  readonly healthzBindAddress: string;
  readonly metricsBindAddress: string;
  readonly nftablesSyncPeriod: number;
  readonly nftablesMinSyncPeriod: number;
  readonly cleanup?: boolean;
}

export const proxyCommand = (output: Output): Command =>
  addConnectionOptions(baseCommand("proxy", output))
    .description("The Service proxy of a node, in kube-proxy's nftables mode, for any cluster. It needs root and the program nft.")
    .addOption(new Option("--proxy-mode <mode>", "how packets are led").choices(["nftables"]).default("nftables"))
    .option("--hostname-override <name>", "the name of the Node (default: the name of this machine)")
    .addOption(
      new Option("--detect-local-mode <mode>", "how packets of this node's Pods are told").choices(localModes).default("ClusterCIDR"),
    )
    .option("--cluster-cidr <cidrs>", "the addresses of Pods, one range of each family, for ClusterCIDR", parseCidrs, [])
    .option("--pod-bridge-interface <name>", "the bridge of the Pods, for BridgeInterface")
    .option("--pod-interface-name-prefix <prefix>", "how the interfaces of Pods begin, for InterfaceNamePrefix")
    .option("--masquerade-all", "give the node's address to all that goes to cluster IPs")
    .option("--nodeport-addresses <cidrs>", "the networks whose addresses accept node ports (default: all)", parseCidrs, [])
    .option("--healthz-bind-address <address>", "where /healthz and /livez are answered; empty: nowhere", parseBindAddress, "0.0.0.0:10256")
    .option("--metrics-bind-address <address>", "where /metrics is answered; empty: nowhere", parseBindAddress, "127.0.0.1:10249")
    .option("--nftables-sync-period <duration>", "how often the rules are looked at", parseMilliseconds, 30_000)
    .option("--nftables-min-sync-period <duration>", "changes within this time are written together", parseMilliseconds, 1_000)
    .option("--cleanup", "remove all rules that it has written, and end");

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseProxyOptions(args: readonly string[], output: Output): ProxyCommandOptions {
  const command = proxyCommand(output).parse(args, { from: "user" });
  const parsed = command.opts<Parsed>();
  return {
    ...connectionOptionsOf(parsed),
    hostnameOverride: parsed.hostnameOverride,
    masqueradeAll: parsed.masqueradeAll === true,
    detectLocal: detectLocal(parsed, command),
    nodePortAddresses: parsed.nodeportAddresses,
    healthz: listenAddress(parsed.healthzBindAddress),
    metrics: listenAddress(parsed.metricsBindAddress),
    syncMs: parsed.nftablesSyncPeriod,
    minSyncMs: parsed.nftablesMinSyncPeriod,
    cleanup: parsed.cleanup === true,
  };
}

function detectLocal(parsed: Parsed, command: Command): DetectLocal {
  const { detectLocalMode: mode, clusterCidr: cidrs, podBridgeInterface, podInterfaceNamePrefix } = parsed;
  switch (mode) {
    case "ClusterCIDR":
      return cidrs.length === 0 ? { mode: "none" } : { mode, cidrs };
    case "NodeCIDR":
      return { mode };
    case "BridgeInterface":
      return {
        mode,
        bridgeInterface: podBridgeInterface ?? command.error("--detect-local-mode=BridgeInterface needs --pod-bridge-interface"),
      };
    case "InterfaceNamePrefix":
      return {
        mode,
        interfaceNamePrefix:
          podInterfaceNamePrefix ?? command.error("--detect-local-mode=InterfaceNamePrefix needs --pod-interface-name-prefix"),
      };
  }
}
