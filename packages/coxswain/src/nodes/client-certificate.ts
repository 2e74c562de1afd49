/**
 * By what a node is known to the API server: a certificate that it asks for when it joins, and again before it ends.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/
 */
import { X509Certificate } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "@coxswain/apiserver";
import type { Client, ClusterAccess, KubeconfigUser } from "@coxswain/client";
import { messageOf, type RandomSource, sleep } from "@coxswain/machinery";
import { readIfThere, writePrivately } from "../access/private-file.ts";
import { StartError } from "../process/start-error.ts";
import { currentCertificate, keepCertificate } from "./kept-certificate.ts";
import { rotationTime, sleepUntil } from "./rotation-time.ts";
import { requestClientCertificate } from "./serving-certificate.ts";

/** After an attempt that failed. Milliseconds. */
const retryMs = 10_000;

/** Whether a user has a certificate that is not there or no longer good. */
export function hasEnded({ user }: ClusterAccess, nowMs: number): boolean {
  if (user.clientCertificate === "" && user.clientCertificateData === undefined) return false;
  const pem = user.clientCertificateData ?? readIfThere(user.clientCertificate);
  return pem === undefined || Date.parse(new X509Certificate(pem).validTo) <= nowMs;
}

/** The same user with the newest certificate, which is at first the one that it has. @throws StartError where it has none */
export function rotatedUser({ user }: ClusterAccess, certDir: string, nowMs: number): KubeconfigUser {
  const path = currentCertificate(certDir, "kubelet-client");
  const [cert, key] = [
    user.clientCertificateData ?? readIfThere(user.clientCertificate),
    user.clientKeyData ?? readIfThere(user.clientKey),
  ];
  if (cert === undefined || key === undefined) throw new StartError("--rotate-certificates is for a user with a client certificate");
  if (readIfThere(path) === undefined) keepCertificate(certDir, "kubelet-client", { cert: textOf(cert), key: textOf(key) }, nowMs);
  return { ...user, clientCertificate: path, clientCertificateData: undefined, clientKey: path, clientKeyData: undefined };
}

const textOf = (pem: string | Uint8Array): string => (typeof pem === "string" ? pem : Buffer.from(pem).toString());

export interface Joining {
  /** As who joins: may request certificates. */
  readonly client: Client;
  readonly access: ClusterAccess;
  readonly node: string;
  readonly certDir: string;
  /** Where it is written how to reach the cluster as the node. */
  readonly kubeconfig: string;
  readonly signal: AbortSignal;
}

/** Waits until somebody, commonly the cluster's csrapproving controller, has approved it. @throws Error */
export async function joinCluster({ client, access, node, certDir, kubeconfig, signal }: Joining): Promise<void> {
  keepCertificate(certDir, "kubelet-client", await requestClientCertificate(client, node, signal), client.clock.now());
  mkdirSync(dirname(kubeconfig), { recursive: true, mode: 0o700 });
  writePrivately(kubeconfig, kubeconfigOf(access, currentCertificate(certDir, "kubelet-client")));
}

export interface Rotation {
  /** As the node. */
  readonly client: Client;
  readonly node: string;
  readonly certDir: string;
  readonly random: RandomSource;
  readonly log: Pick<Log, "info" | "warn">;
}

/** Has a new one signed when between 70 and 90 % of the time of the last one are over. Clients read the file by themselves. */
export async function rotateCertificates({ client, node, certDir, random, log }: Rotation, signal: AbortSignal): Promise<void> {
  const { clock } = client;
  while (!signal.aborted) {
    try {
      await sleepUntil(clock, rotationTime(readIfThere(currentCertificate(certDir, "kubelet-client")) ?? "", random.next()), signal);
      keepCertificate(certDir, "kubelet-client", await requestClientCertificate(client, node, signal), clock.now());
      log.info({ node }, "client certificate rotated");
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ node, error: messageOf(error) }, "failed to rotate the client certificate");
      await sleep(clock, retryMs, signal).catch(() => undefined);
    }
  }
}

/** JSON, which is YAML too. */
function kubeconfigOf({ cluster, namespace }: ClusterAccess, certificate: string): string {
  const { server, certificateAuthority, certificateAuthorityData, tlsServerName, insecureSkipTlsVerify, proxyUrl } = cluster;
  const reached = {
    server,
    ...(certificateAuthority === "" ? {} : { "certificate-authority": certificateAuthority }),
    ...(certificateAuthorityData === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(certificateAuthorityData).toString("base64") }),
    ...(tlsServerName === "" ? {} : { "tls-server-name": tlsServerName }),
    ...(insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(proxyUrl === "" ? {} : { "proxy-url": proxyUrl }),
  };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "default-cluster", cluster: reached }],
    users: [{ name: "default-auth", user: { "client-certificate": certificate, "client-key": certificate } }],
    contexts: [{ name: "default-context", context: { cluster: "default-cluster", user: "default-auth", namespace } }],
    "current-context": "default-context",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
