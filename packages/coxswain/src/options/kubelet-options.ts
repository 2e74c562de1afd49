/** The options of `coxswain kubelet`. */
import * as path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { baseCommand, type Environment, type Output } from "./base-command.ts";
import { defaultPolicySocket } from "./network-policy-options.ts";
import { addNodeOptions, type NodeOptions, nodeOptionsOf, type ParsedNodeOptions } from "./node-options.ts";
import { parseAddress, parseHttpsUrl, parseList } from "./parse-values.ts";
import { addConnectionOptions, type ConnectionOptions, connectionOptionsOf, type ParsedConnectionOptions } from "./standalone-options.ts";
import { defaultDataDir } from "./user-paths.ts";

/** With what a node joins that has nothing else. */
export interface TokenJoin {
  readonly server: string;
  readonly token: string;
  /** `sha256:` and hexadecimal digits, of the key of each authority that may be the cluster's. */
  readonly authorityHashes: readonly string[];
}

export interface KubeletCommandOptions extends ConnectionOptions {
  readonly node: NodeOptions;
  readonly rootDir: string;
  readonly address: string;
  /** Undefined: what the cluster itself publishes, for those who may read it. */
  readonly clientCaFile: string | undefined;
  /** As who a node joins that has no kubeconfig yet. */
  readonly bootstrapKubeconfig: string | undefined;
  /** As who a node joins of which nothing is here but a token. */
  readonly join: TokenJoin | undefined;
  readonly certDir: string;
  readonly rotateCertificates: boolean;
  /** With what its server serves; undefined: what the cluster signs for it. */
  readonly serving: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly stopOnStdinClose: boolean;
  /** Where it is asked whether NetworkPolicies count for a Pod; undefined: at the default, where there is anything. */
  readonly networkPolicySocket: string | undefined;
}

interface Parsed extends ParsedConnectionOptions, ParsedNodeOptions {
  readonly address: string;
  readonly clientCaFile?: string;
  readonly bootstrapKubeconfig?: string;
  readonly server?: string;
  readonly token?: string;
  readonly discoveryTokenCaCertHash?: readonly string[];
  readonly certDir?: string;
  readonly rotateCertificates?: boolean;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly stopOnStdinClose?: true;
  readonly networkPolicySocket?: string;
}

export const kubeletCommand = (output: Output): Command =>
  addNodeOptions(addConnectionOptions(baseCommand("kubelet", output)))
    .description("A node of a cluster, or many simulated ones, in a process of its own, for any cluster.")
    .option("--address <ip>", "what it is reached at; only this machine can reach the default", parseAddress, "127.0.0.1")
    .option("--client-ca-file <file>", "who signs the certificates of those that may ask it (default: as the cluster publishes it)")
    .option("--bootstrap-kubeconfig <file>", "as who a node joins: it asks for a client certificate and writes --kubeconfig")
    .option("--server <url>", "with --token: where the node reaches the server", parseHttpsUrl)
    .option("--token <token>", "as who a node joins without a kubeconfig: `coxswain token create --print-join-command`")
    .option(
      "--discovery-token-ca-cert-hash <hashes>",
      "with --token: by what the server's authority is known, sha256: and the digest of its key",
      parseHashes,
    )
    .option("--cert-dir <dir>", "where certificates are kept (default: pki below --root-dir)")
    .option("--rotate-certificates", "ask for a new client certificate before the last one ends")
    .option("--tls-cert-file <file>", "the certificate with which it serves (default: one that the cluster signs)")
    .option("--tls-private-key-file <file>", "its key")
    .option(
      "--network-policy-socket <path>",
      `where \`coxswain network-policy\` is asked before containers start (default: ${defaultPolicySocket}, where that is there)`,
    )
    .option("--stop-on-stdin-close", "end when standard input does, and so with whoever started it");

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseKubeletOptions(args: readonly string[], env: Environment, output: Output): KubeletCommandOptions {
  const command = kubeletCommand(output).parse(args, { from: "user" });
  const parsed = command.opts<Parsed>();
  const node = nodeOptionsOf(parsed);
  const rootDir = node.rootDir ?? path.join(defaultDataDir(env), "kubelet");
  const join = joinOf(parsed, command);
  const connection = connectionOptionsOf(parsed);
  return {
    ...connection,
    kubeconfig: connection.kubeconfig ?? (join && path.join(rootDir, "kubeconfig")),
    join,
    node,
    rootDir,
    address: parsed.address,
    clientCaFile: parsed.clientCaFile,
    bootstrapKubeconfig: parsed.bootstrapKubeconfig,
    certDir: parsed.certDir ?? path.join(rootDir, "pki"),
    rotateCertificates: parsed.rotateCertificates === true || join !== undefined,
    serving: servingOf(parsed, command),
    stopOnStdinClose: parsed.stopOnStdinClose === true,
    networkPolicySocket: parsed.networkPolicySocket,
  };
}

/** What joins by a token needs all three, and keeps its certificate by itself from then on. */
function joinOf({ server, token, discoveryTokenCaCertHash: authorityHashes, bootstrapKubeconfig }: Parsed, command: Command) {
  if (server === undefined && token === undefined && authorityHashes === undefined) return undefined;
  if (bootstrapKubeconfig !== undefined) command.error("error: --token and --bootstrap-kubeconfig exclude each other");
  if (server === undefined || token === undefined || authorityHashes === undefined)
    return command.error("error: --server, --token and --discovery-token-ca-cert-hash need each other");
  return { server, token, authorityHashes };
}

function servingOf({ tlsCertFile: certFile, tlsPrivateKeyFile: keyFile }: Parsed, command: Command) {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    return command.error("error: --tls-cert-file and --tls-private-key-file need each other");
  return { certFile, keyFile };
}

function parseHashes(text: string): string[] {
  const hashes = parseList(text);
  if (hashes.length === 0 || hashes.some((hash) => !/^sha256:[0-9a-f]{64}$/i.test(hash)))
    throw new InvalidArgumentError("It must be sha256: and 64 hexadecimal digits.");
  return hashes;
}
