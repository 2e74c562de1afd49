/** The options of `coxswain kubelet`. */
import { join } from "node:path";
import type { Command } from "commander";
import { baseCommand, type Environment, type Output } from "./base-command.ts";
import { defaultDataDir } from "./cluster-options.ts";
import { addNodeOptions, type NodeOptions, nodeOptionsOf, type ParsedNodeOptions } from "./node-options.ts";
import { parseAddress } from "./parse-values.ts";
import { addConnectionOptions, type ConnectionOptions, connectionOptionsOf, type ParsedConnectionOptions } from "./standalone-options.ts";

export interface KubeletCommandOptions extends ConnectionOptions {
  readonly node: NodeOptions;
  readonly rootDir: string;
  readonly address: string;
  /** Undefined: what the cluster itself publishes, for those who may read it. */
  readonly clientCaFile: string | undefined;
  /** As who a node joins that has no kubeconfig yet. */
  readonly bootstrapKubeconfig: string | undefined;
  readonly certDir: string;
  readonly rotateCertificates: boolean;
}

interface Parsed extends ParsedConnectionOptions, ParsedNodeOptions {
  readonly address: string;
  readonly clientCaFile?: string;
  readonly bootstrapKubeconfig?: string;
  readonly certDir?: string;
  readonly rotateCertificates?: boolean;
}

export const kubeletCommand = (output: Output): Command =>
  addNodeOptions(addConnectionOptions(baseCommand("kubelet", output)))
    .description("A node of a cluster, or many simulated ones, in a process of its own, for any cluster.")
    .option("--address <ip>", "what it is reached at; only this machine can reach the default", parseAddress, "127.0.0.1")
    .option("--client-ca-file <file>", "who signs the certificates of those that may ask it (default: as the cluster publishes it)")
    .option("--bootstrap-kubeconfig <file>", "as who a node joins: it asks for a client certificate and writes --kubeconfig")
    .option("--cert-dir <dir>", "where client certificates are kept (default: pki below --root-dir)")
    .option("--rotate-certificates", "ask for a new client certificate before the last one ends");

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseKubeletOptions(args: readonly string[], env: Environment, output: Output): KubeletCommandOptions {
  const parsed = kubeletCommand(output).parse(args, { from: "user" }).opts<Parsed>();
  const node = nodeOptionsOf(parsed);
  const rootDir = node.rootDir ?? join(defaultDataDir(env), "kubelet");
  return {
    ...connectionOptionsOf(parsed),
    node,
    rootDir,
    address: parsed.address,
    clientCaFile: parsed.clientCaFile,
    bootstrapKubeconfig: parsed.bootstrapKubeconfig,
    certDir: parsed.certDir ?? join(rootDir, "pki"),
    rotateCertificates: parsed.rotateCertificates === true,
  };
}
