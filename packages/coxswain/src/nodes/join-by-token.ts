/**
 * How a node that knows a token and a hash finds out whom to trust: the server sends its authority, and the hash is that of its key.
 * Nothing is said to a server before that.
 * @see https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/#token-based-discovery-with-ca-pinning
 */
import { createHash, type X509Certificate } from "node:crypto";
import { connect, type TLSSocket } from "node:tls";
import { type ClusterAccess, emptyUser } from "@coxswain/client";
import { type Clock, messageOf } from "@coxswain/machinery";
import type { TokenJoin } from "../options/kubelet-options.ts";
import { StartError } from "../process/start-error.ts";

const timeoutMs = 10_000;
/** Chains are a few certificates long; a server could send one that never ends. */
const maxChain = 10;

/** Of what a certificate signs with, in the form that kubeadm prints. */
export const authorityHash = ({ publicKey }: Pick<X509Certificate, "publicKey">): string =>
  `sha256:${createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex")}`;

/** As who the token is. @throws StartError where the server cannot be reached, or none of its certificates has one of the hashes */
export async function accessByToken({ server, token, authorityHashes }: TokenJoin, clock: Clock): Promise<ClusterAccess> {
  const chain = await certificatesOf(new URL(server), clock).catch((error: unknown) => {
    throw new StartError(`cannot reach ${server}: ${messageOf(error)}`, { cause: error });
  });
  const wanted = authorityHashes.map((hash) => hash.toLowerCase());
  const authority = chain.find((certificate) => certificate.ca && wanted.includes(authorityHash(certificate)));
  if (authority === undefined)
    throw new StartError(`${server} has sent no certificate of an authority with the hash ${authorityHashes.join(" or ")}`);
  return {
    cluster: {
      server,
      certificateAuthority: "",
      certificateAuthorityData: Buffer.from(authority.toString()),
      tlsServerName: "",
      insecureSkipTlsVerify: false,
      proxyUrl: "",
      disableCompression: false,
      execConfig: undefined,
    },
    user: { ...emptyUser, token },
    namespace: "default",
  };
}

/** What the server shows, whoever it is: the connection is closed without a word. */
function certificatesOf({ hostname, port }: URL, clock: Clock): Promise<X509Certificate[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false }, () => settle(() => resolve(chainOf(socket))));
    const timer = clock.schedule(timeoutMs, () => settle(() => reject(new Error(`no answer within ${timeoutMs / 1000} seconds`))));
    socket.once("error", (error) => settle(() => reject(error)));

    function settle(how: () => void): void {
      timer[Symbol.dispose]();
      how();
      socket.destroy();
    }
  });
}

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let certificate = socket.getPeerX509Certificate();
  while (certificate !== undefined && chain.length < maxChain) {
    chain.push(certificate);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}
