/**
 * With what a kubelet in a process of its own serves: a certificate of the cluster's authority, where it gives one.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/
 */

import { type api, type Client, certificateSigningRequests, isForbidden } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { ipBytes, nameWith } from "@coxswain/pki";
import { exportKey, type KeyPair, newKeys, noNames, type ServedNames, writeSigningRequest } from "@coxswain/pki/node";

type SigningRequest = api.certificatesV1.CertificateSigningRequest;

/** How often an answer is looked for. Milliseconds. */
const pollIntervalMs = 250;

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
  const keys = newKeys();
  const subject = nameWith(`system:node:${node}`, ["system:nodes"]);
  const request = writeSigningRequest({ subject, names: { ...noNames, dns: names.dns, ip: names.ip.map(ipBytes) }, ...keys });
  const requests = client.resource(certificateSigningRequests);
  const made = await requests.create({
    metadata: { generateName: "csr-" },
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName: "kubernetes.io/kubelet-serving",
      usages: ["digital signature", "server auth"],
    },
  });
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
  return { name, isApproved, signed: (signal) => signed(client, name, exportKey(keys.privateKey), signal) };
}

async function signed(client: Client, name: string, key: string, signal: AbortSignal): Promise<KeyPair> {
  for (;;) {
    const { status } = (await client.resource(certificateSigningRequests).get(name)) as SigningRequest;
    const refusal = status?.conditions?.find(({ type }) => type === "Denied" || type === "Failed");
    if (refusal !== undefined) throw new Error(refusal.message ?? refusal.type);
    if (status?.certificate) return { cert: Buffer.from(status.certificate, "base64").toString(), key };
    await sleep(client.clock, pollIntervalMs, signal);
  }
}
