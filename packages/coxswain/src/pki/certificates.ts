/** The certificates of a control plane: what each says, who signs it, and when it is time for the next one. */
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { nameWith, readElement, subjectOf, tags } from "@coxswain/pki";
import { dayMs, type Issuer, issuePair, type KeyPair, type ServedNames, type Subject } from "@coxswain/pki/node";
import type { Authority, AuthorityName } from "./authority.ts";
import type { PemStore } from "./pem-store.ts";

/** As kubeadm calls them, in the order of its list. */
export const certificateNames = ["admin", "apiserver", "apiserver-kubelet-client", "front-proxy-client"] as const;

export type CertificateName = (typeof certificateNames)[number];

export const authorityNameOf = (name: CertificateName): AuthorityName => (name === "front-proxy-client" ? "front-proxy-ca" : "ca");

/** The API server's client certificate for kubelets, which accept no other client. */
export const kubeletClientName = "kube-apiserver-kubelet-client";
/** The API server's client certificate for servers that extend it, which believe it for whom it asks. */
export const frontProxyClientName = "front-proxy-client";

/** What a certificate has to say. */
export interface Wanted extends Subject {
  /** Whether the key is in the form of RFC 5915: clients in Java read the kind of key from that. */
  readonly sec1?: boolean;
}

/** @param served what clients call the API server */
export const wantedCertificates = (
  served: ServedNames,
  admin: { readonly name: string; readonly groups: readonly string[] },
): Readonly<Record<CertificateName, Wanted>> => ({
  admin: { subject: nameWith(admin.name, admin.groups), usage: "client auth", sec1: true },
  apiserver: { subject: nameWith("kube-apiserver"), usage: "server auth", names: served },
  "apiserver-kubelet-client": { subject: nameWith(kubeletClientName), usage: "client auth" },
  "front-proxy-client": { subject: nameWith(frontProxyClientName), usage: "client auth" },
});

/** With which a kubelet serves. */
export const wantedOfKubelet = (node: string, names: ServedNames): Wanted => ({
  subject: nameWith(`system:node:${node}`, ["system:nodes"]),
  usage: "server auth",
  names,
});

/** With which a kubelet asks the API server. */
export const wantedOfKubeletClient = (node: string): Wanted => ({
  subject: nameWith(`system:node:${node}`, ["system:nodes"]),
  usage: "client auth",
});

/** `now` in milliseconds since the epoch. */
export function issue(issuer: Issuer | "self", { sec1 = false, ...subject }: Wanted, now: number): KeyPair {
  const { cert, key } = issuePair(issuer, subject, now);
  return sec1 ? { cert, key: createPrivateKey(key).export({ format: "pem", type: "sec1" }).toString() } : { cert, key };
}

export const readPair = (store: PemStore, name: string): KeyPair | undefined => {
  const [cert, key] = [store.read(`${name}.crt`), store.read(`${name}.key`)];
  return cert === undefined || key === undefined ? undefined : { cert, key };
};

/** The key first: who finds it without its certificate waits for that. */
export function writePair(store: PemStore, name: string, { cert, key }: KeyPair): void {
  store.write(`${name}.key`, key);
  store.write(`${name}.crt`, cert);
}

/** The first certificate of a pair; undefined for what is damaged or does not belong together. */
export function certificateOf({ cert, key }: KeyPair): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(cert);
    return createPublicKey(createPrivateKey(key)).equals(certificate.publicKey) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an authority has signed it, and it has the names. Nothing is said of when it ends. */
export function isSuitable(certificate: X509Certificate, authority: Pick<Authority, "cert">, { names }: Pick<Wanted, "names">): boolean {
  const signer = new X509Certificate(authority.cert);
  if (!certificate.checkIssued(signer) || !certificate.verify(signer.publicKey)) return false;
  const hasHost = (host: string): boolean => certificate.checkHost(host, { subject: "never" }) !== undefined;
  return names === undefined || (names.dns.every(hasHost) && names.ip.every((ip) => certificate.checkIP(ip) !== undefined));
}

const maxBeforeEndMs = 30 * dayMs;

/** When the next one is made: a month before its end, or, of a short life, when a third of it is left. Milliseconds since the epoch. */
export function renewalTimeOf({ validFromDate, validToDate }: X509Certificate): number {
  const end = validToDate.getTime();
  return end - Math.min(maxBeforeEndMs, (end - validFromDate.getTime()) / 3);
}

/** What a certificate says, for another one of the same kind. @throws Error for one without a subject */
export function wantedOf(name: CertificateName, certificate: X509Certificate): Wanted {
  const subject = subjectOf(readElement(certificate.raw, tags.sequence));
  if (subject === undefined) throw new Error("it has no subject");
  const isServing = name === "apiserver";
  if (!isServing) return { subject: subject.whole, usage: "client auth", sec1: name === "admin" };
  return { subject: subject.whole, usage: "server auth", names: servedNamesOf(certificate.subjectAltName ?? "") };
}

/** Names that were written here have no characters that Node would quote. */
function servedNamesOf(text: string): ServedNames {
  const parts = text.split(", ").map((part) => part.split(/:(.*)/s, 2));
  const valuesOf = (kind: string): string[] => parts.flatMap(([one, value]) => (one === kind && value !== undefined ? [value] : []));
  return { dns: valuesOf("DNS"), ip: valuesOf("IP Address") };
}
