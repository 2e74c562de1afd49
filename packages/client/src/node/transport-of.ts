/** From what a kubeconfig says to a transport, and to a client. */
import { readFile } from "node:fs/promises";
import { type Clock, type RandomSource, systemClock, systemRandom } from "@coxswain/machinery";
import { createClient } from "../client/create-client.ts";
import type { Client, ClientOptions } from "../contracts/client.ts";
import { type ClusterAccess, chooseAccess, type KubeconfigChoice } from "../kubeconfig/choose.ts";
import { impersonationHeaders } from "../kubeconfig/impersonation-headers.ts";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "../kubeconfig/kubeconfig.ts";
import { type Credentials, fixedCredential } from "../transport/credentials.ts";
import type { Transport } from "../transport/transport.ts";
import type { TlsOptions } from "./dial.ts";
import { environmentProxy, isLoopback } from "./environment-proxy.ts";
import { execCredentials } from "./exec-credentials.ts";
import { fileCredentials } from "./file-credentials.ts";
import { followedCredentials, type ReloadAccess } from "./followed-credentials.ts";
import { type Http2TransportOptions, http2Transport } from "./http2-transport.ts";
import { type LoadOptions, loadKubeconfig } from "./load-kubeconfig.ts";

/** What a transport takes from the process rather than from the kubeconfig. */
export interface KubeconfigTransportOptions extends Pick<Http2TransportOptions, "keepAlive" | "maxConnections" | "connectTimeoutMs"> {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** For proxies and for credential plugins. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether a credential plugin may ask a person. Default: when the standard input is a terminal. */
  readonly terminal?: boolean;
  /** Who asks, instead of the user of the kubeconfig. */
  readonly credentials?: Credentials;
  /** Loads what the kubeconfig says now: asked each minute, and when the server knows the user no more. Default: what it said counts. */
  readonly reload?: ReloadAccess;
}

/** Which kubeconfig and which of its contexts a client is made from, and what it is made with. */
export interface KubeconfigClientOptions
  extends LoadOptions,
    KubeconfigChoice,
    KubeconfigTransportOptions,
    Pick<ClientOptions, "fieldManager" | "onWarning"> {
  /** Already loaded. */
  readonly kubeconfig?: Kubeconfig;
  readonly random?: RandomSource;
}

/** A client for the cluster that kubectl would talk to. @throws KubeconfigError */
export async function clientFromKubeconfig(options: KubeconfigClientOptions = {}): Promise<Client> {
  const { clock = systemClock, random = systemRandom, fieldManager, onWarning } = options;
  const access = chooseAccess(options.kubeconfig ?? (await loadKubeconfig(options)), options);
  return createClient({
    transport: transportOf(access, options),
    clock,
    random,
    namespace: access.namespace,
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(onWarning === undefined ? {} : { onWarning }),
  });
}

/**
 * Creates the HTTP/2 transport that the cluster and the user of a kubeconfig describe.
 * @throws TypeError when the server is no URL
 */
export function transportOf({ cluster, user }: ClusterAccess, around: KubeconfigTransportOptions = {}): Transport {
  const { clock = systemClock, env = process.env, terminal = process.stdin.isTTY === true, credentials: given, reload, ...rest } = around;
  const server = new URL(cluster.server);
  // Credentials are not sent over an unencrypted connection.
  const credentials =
    server.protocol === "https:" ? (given ?? credentialsOf(user, cluster, { clock, env, terminal, reload })) : fixedCredential({});
  const { keepAlive, maxConnections, connectTimeoutMs } = rest;
  return http2Transport({
    server: cluster.server,
    clock,
    tls: tlsOf(cluster, reload),
    credentials,
    headers: given === undefined ? impersonationHeaders(user.impersonate) : {},
    proxy: cluster.proxyUrl || environmentProxy(server, env),
    // On one machine it only costs time.
    compression: !cluster.disableCompression && !isLoopback(server),
    ...(keepAlive === undefined ? {} : { keepAlive }),
    ...(maxConnections === undefined ? {} : { maxConnections }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  });
}

function tlsOf(cluster: KubeconfigCluster, reload: ReloadAccess | undefined): TlsOptions {
  const given = authorityOf(cluster);
  const ca =
    given === undefined || reload === undefined ? given : () => reload().then((now) => authorityOf(now.cluster)?.() ?? given(), given);
  return { serverName: cluster.tlsServerName, insecure: cluster.insecureSkipTlsVerify, ...(ca === undefined ? {} : { ca }) };
}

function authorityOf({ certificateAuthority, certificateAuthorityData }: KubeconfigCluster) {
  if (certificateAuthorityData !== undefined) return () => Promise.resolve(certificateAuthorityData);
  return certificateAuthority === "" ? undefined : () => readFile(certificateAuthority);
}

type CredentialOptions = Required<Pick<KubeconfigTransportOptions, "clock" | "env" | "terminal">> & {
  readonly reload: ReloadAccess | undefined;
};

/** As client-go: a certificate and a token may go together, a plugin only alone. */
function credentialsOf(user: KubeconfigUser, cluster: KubeconfigCluster, { clock, env, terminal, reload }: CredentialOptions): Credentials {
  const authorization = authorizationOf(user);
  const tokenFile = user.tokenFile || undefined;
  const certificate =
    user.clientCertificate === "" && user.clientCertificateData === undefined
      ? undefined
      : { cert: pem(user.clientCertificateData, user.clientCertificate), key: pem(user.clientKeyData, user.clientKey) };
  if (reload !== undefined && (certificate !== undefined || authorization !== undefined))
    return followedCredentials(reload, authorizationOf, clock);
  if (certificate !== undefined || tokenFile !== undefined) return fileCredentials({ certificate, tokenFile, authorization }, clock);
  if (authorization !== undefined || user.exec === undefined) return fixedCredential({ authorization });
  return execCredentials(user.exec, cluster, { clock, env, terminal, authority: authorityOf(cluster) });
}

function authorizationOf({ token, username, password }: KubeconfigUser): string | undefined {
  if (token !== "") return `Bearer ${token}`;
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

const pem = (data: Uint8Array | undefined, path: string) => (data === undefined ? () => readFile(path) : () => Promise.resolve(data));
