/** The options of `coxswain network-policy`. Those that kube-proxy has too are called as there. */
import type { ListenAddress } from "@coxswain/proxy";
import type { Command } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { listenAddress, parseBindAddress } from "./parse-values.ts";
import { addConnectionOptions, type ConnectionOptions, connectionOptionsOf, type ParsedConnectionOptions } from "./standalone-options.ts";

/** Where kubelets of this machine ask, in a folder that ends with its start. */
export const defaultPolicySocket = "/run/coxswain-network-policy.sock";

export interface NetworkPolicyCommandOptions extends ConnectionOptions {
  /** Undefined: the name of this machine. */
  readonly hostnameOverride: string | undefined;
  /** Where the kubelet asks before it starts containers. */
  readonly socket: string;
  /** Undefined answers nowhere. */
  readonly metrics: ListenAddress | undefined;
  /** Remove all rules and end. */
  readonly cleanup: boolean;
}

interface Parsed extends ParsedConnectionOptions {
  readonly hostnameOverride?: string;
  readonly socket: string;
  readonly metricsBindAddress: string;
  readonly cleanup?: true;
}

export const networkPolicyCommand = (output: Output): Command =>
  addConnectionOptions(baseCommand("network-policy", output))
    .description("Enforces NetworkPolicies on the Pods of a node, for any cluster. It needs root and the program nft.")
    .option("--hostname-override <name>", "the name of the Node (default: the name of this machine)")
    .option(
      "--socket <path>",
      "where `coxswain kubelet` asks whether rules count for a Pod, before it starts containers",
      defaultPolicySocket,
    )
    .option("--metrics-bind-address <address>", "where /metrics and /healthz are answered; empty: nowhere", parseBindAddress, "")
    .option("--cleanup", "remove all rules that it has written, and end");

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseNetworkPolicyOptions(args: readonly string[], output: Output): NetworkPolicyCommandOptions {
  const parsed = networkPolicyCommand(output).parse(args, { from: "user" }).opts<Parsed>();
  return {
    ...connectionOptionsOf(parsed),
    hostnameOverride: parsed.hostnameOverride,
    socket: parsed.socket,
    metrics: listenAddress(parsed.metricsBindAddress),
    cleanup: parsed.cleanup === true,
  };
}
