/** What the certificates of a control plane are used for, in the form in which its parts take them. */
import type { ContentProvider, KubeletCredentials, ProxyOptions } from "@coxswain/apiserver";
import type { KeyPair } from "@coxswain/pki/node";
import type { Authority } from "../pki/authority.ts";
import { frontProxyClientName } from "../pki/certificates.ts";
import type { ClusterCertificates } from "./cluster-certificates.ts";
import { derivedContent } from "./followed-value.ts";
import { servingChain } from "./serving-chain.ts";

/** What API servers use of them. */
export interface ServerCertificates {
  readonly serving: KeyPair;
  readonly authority: Authority;
  /** In PEM. */
  readonly frontProxyAuthority: string;
  readonly frontProxyClient: KeyPair;
  readonly kubelets: KubeletCredentials;
}

export type FollowedCertificates = { readonly [N in keyof ServerCertificates]: ContentProvider<ServerCertificates[N]> };

export const serverCertificatesOf = (certificates: ClusterCertificates): FollowedCertificates => ({
  serving: servingChain(certificates.pair("apiserver"), certificates.authority),
  authority: certificates.authority,
  frontProxyAuthority: derivedContent([certificates.frontProxyAuthority], () => certificates.frontProxyAuthority.current.cert),
  frontProxyClient: certificates.pair("front-proxy-client"),
  kubelets: kubeletCredentialsOf(certificates),
});

/** The API servers in front of others, by the headers that kubeadm configures: they say for whom they ask. */
export const frontProxyOf = ({
  frontProxyAuthority: clientAuthorities,
}: Pick<FollowedCertificates, "frontProxyAuthority">): ProxyOptions => ({
  clientAuthorities,
  allowedNames: [frontProxyClientName],
  usernameHeaders: ["X-Remote-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group"],
  extraHeaderPrefixes: ["X-Remote-Extra-"],
});

/** By what kubelets and the API server know each other. Kubelets whose certificates are signed elsewhere are believed. */
function kubeletCredentialsOf(certificates: ClusterCertificates): ContentProvider<KubeletCredentials> {
  const { authority } = certificates;
  const client = certificates.pair("apiserver-kubelet-client");
  return derivedContent([authority, client], () => ({
    ...client.current,
    ...(authority.current.key === undefined ? {} : { ca: authority.current.cert }),
  }));
}
