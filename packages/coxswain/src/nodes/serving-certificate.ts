/**
 * Certificates that a kubelet in a process of its own asks for: the one that it serves with, where the cluster's authority gives one,
 * and the one by which the API server knows its node.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/
 */

import { type api, type Client, certificateSigningRequests, isForbidden } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { ipBytes, nameWith } from "@coxswain/pki";
import { exportKey, type KeyPair, newKeys, noNames, type ServedNames, writeSigningRequest } from "@coxswain/pki/node";

type SigningRequest = api.certificatesV1.CertificateSigningRequest;

/** How often an answer is looked for, at first and when nobody has approved for long. Milliseconds. */
const poll = { firstMs: 100, factor: 1.5, mostMs: 10_000 };

/** A request that somebody is to approve, and the server to sign. */
export interface PendingCertificate {
  /** Of the CertificateSigningRequest. */
  readonly name: string;
  /** Whether who asked could also approve it. */
  readonly isApproved: boolean;
  /** @throws Error when it is denied, or `signal` says so */
  signed(signal: AbortSignal): Promise<KeyPair>;
}

/** Asks as the node, and agrees itself where it may: the rights of who starts a node decide, and a node's own are not enough. */
export async function requestServingCertificate(client: Client, node: string, names: ServedNames): Promise<PendingCertificate> {
  const requests = client.resource(certificateSigningRequests);
  const { made, key } = await createRequest(client, { node, names, signerName: "kubernetes.io/kubelet-serving", usage: "server auth" });
  const { name = "" } = made.metadata ?? {};
  const approved = { type: "Approved", status: "True", reason: "NodeStarted", message: "Approved by who started the node." };
  const isApproved = await requests
    .subresource(name, "approval")
    .update({ ...made, status: { conditions: [approved] } })
    .then(
      () => true,
      (error: unknown) => {
        if (!isForbidden(error)) throw error;
        return false;
      },
    );
  return { name, isApproved, signed: (signal) => signed(client, name, key, signal) };
}

/** Waits until somebody, commonly the csrapproving controller, has approved it. @throws Error when it is denied, or `signal` says so */
export async function requestClientCertificate(client: Client, node: string, signal: AbortSignal): Promise<KeyPair> {
  const signerName = "kubernetes.io/kube-apiserver-client-kubelet";
  const { made, key } = await createRequest(client, { node, signerName, usage: "client auth" });
  return await signed(client, made.metadata?.name ?? "", key, signal);
}

interface Wanted {
  readonly node: string;
  readonly names?: ServedNames;
  readonly signerName: string;
  readonly usage: "client auth" | "server auth";
}

async function createRequest(client: Client, { node, names, signerName, usage }: Wanted) {
  const keys = newKeys();
  const subject = nameWith(`system:node:${node}`, ["system:nodes"]);
  const alternatives = { ...noNames, dns: names?.dns ?? [], ip: (names?.ip ?? []).map(ipBytes) };
  const request = Buffer.from(writeSigningRequest({ subject, names: alternatives, ...keys })).toString("base64");
  const spec = { request, signerName, usages: ["digital signature", usage] };
  const made = await client.resource(certificateSigningRequests).create({ metadata: { generateName: "csr-" }, spec });
  return { made, key: exportKey(keys.privateKey) };
}

async function signed(client: Client, name: string, key: string, signal: AbortSignal): Promise<KeyPair> {
  for (let pauseMs = poll.firstMs; ; pauseMs = Math.min(pauseMs * poll.factor, poll.mostMs)) {
    const { status } = (await client.resource(certificateSigningRequests).get(name)) as SigningRequest;
    const refusal = status?.conditions?.find(({ type }) => type === "Denied" || type === "Failed");
    if (refusal !== undefined) throw new Error(refusal.message ?? refusal.type);
    if (status?.certificate) return { cert: Buffer.from(status.certificate, "base64").toString(), key };
    await sleep(client.clock, pauseMs, signal);
  }
}
