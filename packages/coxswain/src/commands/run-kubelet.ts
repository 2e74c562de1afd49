/** `coxswain kubelet`: nodes in a process of their own. Their Pods go on when it ends, and are found again. */
import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { type ContentProvider, type Log, parseCertificates, staticContent, versionInfo } from "@coxswain/apiserver";
import { type Client, type ClusterAccess, configMaps, isForbidden } from "@coxswain/client";
import type { ReloadAccess } from "@coxswain/client/node";
import { nodeNameOf } from "@coxswain/kubelet";
import { systemClock, systemRandom } from "@coxswain/machinery";
import type { KeyPair } from "@coxswain/pki/node";
import manifest from "../../package.json" with { type: "json" };
import { accessOf, clientOf } from "../components/run-standalone.ts";
import { chooseRuntime } from "../nodes/choose-runtime.ts";
import { hasEnded, joinCluster, rotateCertificates, rotatedUser } from "../nodes/client-certificate.ts";
import { askBySocket } from "../nodes/isolation/ask-by-socket.ts";
import { type AskIsolation, isolatePod } from "../nodes/isolation/isolate-pod.ts";
import { accessByToken } from "../nodes/join-by-token.ts";
import { nodeNames } from "../nodes/node-names.ts";
import { followedCredentials, type NodesSettings } from "../nodes/nodes-settings.ts";
import { type KeptServing, servingCredentials } from "../nodes/serving-rotation.ts";
import { startNodes } from "../nodes/start-nodes.ts";
import { type KubeletCommandOptions, parseKubeletOptions } from "../options/kubelet-options.ts";
import { defaultPolicySocket } from "../options/network-policy-options.ts";
import { certificateOf } from "../pki/certificates.ts";
import { isUnspecified } from "../pki/served-names.ts";
import { followFile } from "../process/follow-file.ts";
import { createLog } from "../process/log.ts";
import { parseCommandLine, platformName } from "../process/process.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { stopOnRequest } from "../process/stop-on-request.ts";

const fieldManager = "kubelet";

export async function runKubeletCommand(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseKubeletOptions(args, process.env, output));
  if (options === undefined) return;
  const log = createLog(options);
  const stop = new AbortController();
  const certDir = resolve(options.certDir);
  try {
    if (options.node.nodes > 1 && options.node.runtime === "cri")
      throw new StartError("several nodes with containers are started by coxswain itself; each kubelet is one of them");
    const chosen = await chooseRuntime(options.node);
    const [node] = nodeNames(options.node, chosen, nodeNameOf(hostname()));
    const client = clientOf(await nodeAccess(options, { node, log, signal: stop.signal }), fieldManager, reloadOf(options));
    const authority = await clientAuthority(options, client, log);
    const kept = { certDir, authorities: await servingAuthorities(options, authority.current) };
    const nodes = await startNodes({
      options: options.node,
      chosen,
      rootDir: resolve(options.rootDir),
      clientFor: () => client,
      fleetClient: () => client,
      sharesReads: true,
      ipFamilies: ["IPv4"],
      kubeletVersion: versionInfo(manifest.version, platformName()).gitVersion,
      address: isUnspecified(options.address) ? undefined : options.address,
      credentials: await servingOf(options, kept, log),
      clientAuthority: authority,
      masterService: undefined,
      isolateFor: () => isolatePod(askOf(options.networkPolicySocket), systemClock),
      random: systemRandom,
      log,
    });
    const rotation = options.rotateCertificates
      ? rotateCertificates({ client, node, certDir, random: systemRandom, log }, stop.signal)
      : undefined;
    log.info({ nodes: nodes.names, runtime: chosen.why }, "starting nodes");
    nodes.ready.then(
      () => log.info({ nodes: nodes.names }, "nodes ready"),
      () => undefined,
    );
    stopOnRequest(
      async () => {
        stop.abort(new Error("a signal ends the process"));
        await rotation;
        await nodes[Symbol.asyncDispose]();
        await client[Symbol.asyncDispose]();
      },
      { log, onStdinClose: options.stopOnStdinClose },
    );
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`coxswain: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Where nothing was ever to be asked at the default, nobody enforces NetworkPolicies on this machine. */
function askOf(socket: string | undefined): AskIsolation {
  const ask = askBySocket(socket ?? defaultPolicySocket, systemClock);
  return async (pod, options) => {
    if (socket !== undefined || existsSync(defaultPolicySocket)) await ask(pod, options);
  };
}

/** @throws StartError for files that cannot be used */
async function servingOf({ serving }: KubeletCommandOptions, kept: KeptServing, log: Log): Promise<NodesSettings["credentials"]> {
  if (serving === undefined) return (node, names, client) => servingCredentials({ node, names, client, random: systemRandom, log, kept });
  const { certFile, keyFile } = serving;
  const parse = async (cert: string): Promise<KeyPair> => {
    const pair = { cert, key: await readFile(keyFile, "utf8") };
    if (certificateOf(pair) === undefined) throw new Error(`${certFile} and ${keyFile} do not belong together`);
    return pair;
  };
  const pair = await followFile({ path: certFile, what: "--tls-cert-file", parse, clock: systemClock, log });
  return () => followedCredentials(pair);
}

interface Joining {
  readonly node: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Where the kubelet rotates its certificate, that is in a file of its own. */
const reloadOf = (options: KubeletCommandOptions): ReloadAccess | undefined =>
  options.rotateCertificates ? undefined : () => accessOf(options);

/** As whom it works: a node that has no certificate of its own, or one that has ended, joins first. @throws StartError */
async function nodeAccess(options: KubeletCommandOptions, { node, log, signal }: Joining): Promise<ClusterAccess> {
  const { bootstrapKubeconfig, join, kubeconfig, rotateCertificates: rotates } = options;
  if (bootstrapKubeconfig === undefined && !rotates) return await accessOf(options);
  if (options.node.nodes > 1) throw new StartError("--bootstrap-kubeconfig, --token and --rotate-certificates are for one node");
  const certDir = resolve(options.certDir);
  if (bootstrapKubeconfig !== undefined || join !== undefined) {
    if (kubeconfig === undefined)
      throw new StartError("--bootstrap-kubeconfig needs --kubeconfig, where it is written how to reach the cluster");
    if (!existsSync(kubeconfig) || hasEnded(await accessOf(options), systemClock.now())) {
      const access = await (join === undefined
        ? accessOf({ kubeconfig: bootstrapKubeconfig, context: undefined })
        : accessByToken(join, systemClock));
      await using client = clientOf(access, fieldManager);
      log.info({ node }, "requesting a client certificate");
      await joinCluster({ client, access, node, certDir, kubeconfig, signal });
    }
  }
  const access = await accessOf(options);
  return rotates ? { ...access, user: rotatedUser(access, certDir, systemClock.now()) } : access;
}

/** @throws StartError */
async function clientAuthority(options: KubeletCommandOptions, client: Client, log: Log): Promise<ContentProvider<string>> {
  const { clientCaFile: path } = options;
  if (path !== undefined) return await followFile({ path, what: "--client-ca-file", parse: authorities, clock: client.clock, log });
  const published = await publishedAuthority(options, client);
  return staticContent(() => published);
}

/** The cluster's, as far as a node knows it: that of its kubeconfig, and who signs for clients. */
async function servingAuthorities(options: KubeletCommandOptions, clientAuthority: string): Promise<X509Certificate[]> {
  const { cluster } = await accessOf(options);
  const own = pemOf(cluster.certificateAuthorityData, cluster.certificateAuthority);
  return [clientAuthority, own ?? ""].flatMap(parseCertificates);
}

/** @throws Error for a text without certificates, which would let nobody in */
function authorities(pem: string): string {
  if (parseCertificates(pem).length === 0) throw new Error("it has no certificates in PEM");
  return pem;
}

/** @throws StartError */
async function publishedAuthority(options: KubeletCommandOptions, client: Client): Promise<string> {
  try {
    const { data } = await client.resource(configMaps, "kube-system").get("extension-apiserver-authentication");
    const published = data?.["client-ca-file"];
    if (published !== undefined) return published;
  } catch (error) {
    const own = isForbidden(error) ? await ownAuthority(options) : undefined;
    if (own !== undefined) return own;
    throw startErrorOf("cannot find out whom the cluster's API server is known by; name it with --client-ca-file", error);
  }
  throw new StartError("the cluster does not publish whom its API server is known by; name it with --client-ca-file");
}

/**
 * Nodes may not read what the cluster publishes. The authority of their kubeconfig counts where it has signed their own client
 * certificate: one that signs for servers alone, as a public one, must not say who clients are.
 */
async function ownAuthority(options: KubeletCommandOptions): Promise<string | undefined> {
  const { cluster, user } = await accessOf(options);
  const authority = pemOf(cluster.certificateAuthorityData, cluster.certificateAuthority);
  const own = pemOf(user.clientCertificateData, user.clientCertificate);
  if (authority === undefined || own === undefined) return undefined;
  const certificate = new X509Certificate(own);
  const signs = parseCertificates(authority).some((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey));
  return signs ? authority : undefined;
}

const pemOf = (data: Uint8Array | undefined, path: string): string | undefined =>
  data === undefined ? (path === "" ? undefined : read(path)) : Buffer.from(data).toString();

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw startErrorOf("cannot read the certificates", error);
  }
}
