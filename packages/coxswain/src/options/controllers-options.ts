/** The options of `coxswain controllers`. */
import type { Command } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { controllersHelp, type Options } from "./cluster-options.ts";
import { addNodeIpamOptions, type NodeCidrMaskSizes, nodeIpamOf, type ParsedNodeIpamOptions, parseRanges } from "./node-ipam-options.ts";
import { parseList } from "./parse-values.ts";
import { addStandaloneOptions, type ParsedStandaloneOptions, type StandaloneOptions, standaloneOptionsOf } from "./standalone-options.ts";

export interface ControllersOptions extends StandaloneOptions, Pick<Options, "controllers"> {
  /** Files in PEM. */
  readonly rootCaFile: string | undefined;
  /** Whether each controller works as its own service account. */
  readonly useServiceAccountCredentials: boolean;
  /** Undefined: Nodes are given no ranges. */
  readonly nodeIpam: ControllersNodeIpam | undefined;
}

export interface ControllersNodeIpam {
  readonly clusterCidrs: readonly string[];
  readonly serviceCidrs: readonly string[];
  readonly maskSizes: NodeCidrMaskSizes;
}

interface Parsed extends ParsedStandaloneOptions, ParsedNodeIpamOptions {
  readonly allocateNodeCidrs?: true;
  readonly serviceClusterIpRange?: readonly string[];
  readonly controllers: readonly string[];
  readonly rootCaFile?: string;
  readonly useServiceAccountCredentials?: boolean;
}

export const controllersCommand = (output: Output): Command =>
  addNodeIpamOptions(addStandaloneOptions(baseCommand("controllers", output), "kube-controller-manager"), "none")
    .description("The controllers of a cluster in a process of their own, for any cluster.")
    .option("--controllers <names>", controllersHelp, parseList, ["*"])
    .option("--root-ca-file <file>", "certificates to publish in every namespace")
    .option(
      "--use-service-account-credentials",
      "let each controller work as a service account of its own, with no more rights than it needs",
    )
    .option("--allocate-node-cidrs", "give each Node a range of --cluster-cidr for its Pods")
    .option("--service-cluster-ip-range <cidrs>", "what of them belongs to Services", parseRanges);

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseControllersOptions(args: readonly string[], output: Output): ControllersOptions {
  const command = controllersCommand(output).parse(args, { from: "user" });
  const parsed = command.opts<Parsed>();
  return {
    ...standaloneOptionsOf(parsed),
    controllers: parsed.controllers,
    rootCaFile: parsed.rootCaFile,
    useServiceAccountCredentials: parsed.useServiceAccountCredentials === true,
    nodeIpam: nodeIpamSettingsOf(parsed, command),
  };
}

function nodeIpamSettingsOf(parsed: Parsed, command: Command): ControllersNodeIpam | undefined {
  const { clusterCidrs = [], nodeCidrMaskSizes: maskSizes } = nodeIpamOf(parsed, (message) => command.error(`error: ${message}`));
  if (parsed.allocateNodeCidrs !== true) return undefined;
  if (clusterCidrs.length === 0) return command.error("error: --allocate-node-cidrs needs --cluster-cidr");
  return { clusterCidrs, serviceCidrs: parsed.serviceClusterIpRange ?? [], maskSizes };
}
