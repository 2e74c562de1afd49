/**
 * With what a kubelet in a process of its own serves: a certificate of the cluster's authority, where it gives one.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/
 */

import { type api, type Client, certificateSigningRequests } from "@coxswain/client";
import { sleep } from "@coxswain/machinery";
import { ipBytes, nameWith } from "@coxswain/pki";
import { exportKey, type KeyPair, newKeys, noNames, type ServedNames, writeSigningRequest } from "@coxswain/pki/node";

type SigningRequest = api.certificatesV1.CertificateSigningRequest;

/** How long an answer is waited for, and how often it is looked for. Milliseconds. */
const signTimeoutMs = 10_000;
const pollIntervalMs = 100;

/**
 * Asks as the node, and agrees itself where it may: the rights of who starts a node decide.
 * @throws Error when it is not approved and signed in time, or the server refuses
 */
export async function requestServingCertificate(client: Client, node: string, names: ServedNames): Promise<KeyPair> {
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
  await requests.subresource(name, "approval").update({ ...made, status: { conditions: [approved] } });
  for (let waited = 0; waited < signTimeoutMs; waited += pollIntervalMs) {
    const { status } = (await requests.get(name)) as SigningRequest;
    const refusal = status?.conditions?.find(({ type }) => type === "Denied" || type === "Failed");
    if (refusal !== undefined) throw new Error(refusal.message ?? refusal.type);
    if (status?.certificate) return { cert: Buffer.from(status.certificate, "base64").toString(), key: exportKey(keys.privateKey) };
    await sleep(client.clock, pollIntervalMs);
  }
  throw new Error("nobody has signed it");
}
