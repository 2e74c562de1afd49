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
  /** Undefined: what the cluster itself publishes. */
  readonly clientCaFile: string | undefined;
}

interface Parsed extends ParsedConnectionOptions, ParsedNodeOptions {
  readonly address: string;
  readonly clientCaFile?: string;
}

export const kubeletCommand = (output: Output): Command =>
  addNodeOptions(addConnectionOptions(baseCommand("kubelet", output)))
    .description("A node of a cluster, or many simulated ones, in a process of its own, for any cluster.")
    .option("--address <ip>", "what it is reached at; only this machine can reach the default", parseAddress, "127.0.0.1")
    .option("--client-ca-file <file>", "who signs the certificates of those that may ask it (default: as the cluster publishes it)");

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseKubeletOptions(args: readonly string[], env: Environment, output: Output): KubeletCommandOptions {
  const parsed = kubeletCommand(output).parse(args, { from: "user" }).opts<Parsed>();
  const node = nodeOptionsOf(parsed);
  return {
    ...connectionOptionsOf(parsed),
    node,
    rootDir: node.rootDir ?? join(defaultDataDir(env), "kubelet"),
    address: parsed.address,
    clientCaFile: parsed.clientCaFile,
  };
}
