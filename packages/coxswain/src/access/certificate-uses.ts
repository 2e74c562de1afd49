/** What the certificates of a control plane are used for, in the form in which its parts take them. */
import type { ContentProvider, KubeletCredentials, ProxyOptions } from "@coxswain/apiserver";
import { frontProxyClientName } from "../pki/certificates.ts";
import type { ClusterCertificates } from "./cluster-certificates.ts";
import { derivedContent } from "./followed-value.ts";

/** The API servers in front of others, by the headers that kubeadm configures: they say for whom they ask. */
export const frontProxyOf = ({ frontProxyAuthority }: ClusterCertificates): ProxyOptions => ({
  clientAuthorities: derivedContent([frontProxyAuthority], () => frontProxyAuthority.current.cert),
  allowedNames: [frontProxyClientName],
  usernameHeaders: ["X-Remote-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group"],
  extraHeaderPrefixes: ["X-Remote-Extra-"],
});

/** By what kubelets and the API server know each other. Kubelets whose certificates are signed elsewhere are believed. */
export function kubeletCredentialsOf(certificates: ClusterCertificates): ContentProvider<KubeletCredentials> {
  const { authority } = certificates;
  const client = certificates.pair("apiserver-kubelet-client");
  return derivedContent([authority, client], () => ({
    ...client.current,
    ...(authority.current.key === undefined ? {} : { ca: authority.current.cert }),
  }));
}
