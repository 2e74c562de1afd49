/** Whose certificates count for a server that an object of the API names. */
import { X509Certificate } from "node:crypto";
import { getCACertificates, type SecureContextOptions } from "node:tls";
import { certificateBlocks } from "@coxswain/pki";
import { WebhookError } from "./webhook-error.ts";

/**
 * Whatever is in the bundle is trusted, be it an authority's certificate or the server's own. Without one, the machine's authorities.
 * @param caBundle PEM in base64
 * @throws WebhookError for one without certificates
 */
export function trustedAuthorities(caBundle: string): SecureContextOptions {
  if (caBundle === "") return { ca: [...getCACertificates("default"), ...getCACertificates("system")] };
  const ca = [...certificateBlocks(Buffer.from(caBundle, "base64").toString("utf8"))].filter(isCertificate);
  if (ca.length === 0) throw new WebhookError("unable to load root certificates: unable to parse bytes as PEM block", { uncallable: true });
  return { ca, allowPartialTrustChain: true };
}

/** What is none is passed over, as Kubernetes does. */
function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.byteLength > 0;
  } catch {
    return false;
  }
}
