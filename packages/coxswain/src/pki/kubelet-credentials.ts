/** By what the API server and the kubelets of its nodes know each other. */
import { nameWith } from "@coxswain/pki";
import { issuePair, issuerOf, type KeyPair, type ServedNames } from "@coxswain/pki/node";

/** The API server's client certificate for kubelets, which accept no other client. */
export const kubeletClientName = "kube-apiserver-kubelet-client";

export const kubeletClientCredentials = (authority: KeyPair, now: number): KeyPair =>
  issuePair(issuerOf(authority), { subject: nameWith(kubeletClientName), usage: "client auth" }, now);

/** With which a kubelet serves; without an authority signed by itself, as a kubelet's own that gets none. */
export const kubeletServingCredentials = (authority: KeyPair | undefined, node: string, names: ServedNames, now: number): KeyPair =>
  issuePair(
    authority === undefined ? "self" : issuerOf(authority),
    { subject: nameWith(`system:node:${node}`, ["system:nodes"]), usage: "server auth", names },
    now,
  );
