/**
 * Whose signatures on client certificates count. The handshake has checked a certificate against all authorities that the server knows
 * for any purpose; what remains is to find out whether it leads to one of these, now that they may have changed.
 */
import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "@coxswain/pki";
import type { ContentProvider } from "../contracts/content-provider.ts";

/** Intermediate certificates that are looked at: as many as a handshake accepts, for longer chains fail there. */
const maxDepth = 100;

export class ClientAuthorities {
  readonly #sources: readonly ContentProvider<string>[];
  #anchors: readonly X509Certificate[] | undefined;
  #generation = 0;
  /** By digest: a resumed session has the client's certificate alone, without those that it sent along before. */
  readonly #intermediates = new Map<string, X509Certificate>();

  /** @param sources of certificates in PEM */
  constructor(sources: readonly ContentProvider<string>[]) {
    this.#sources = sources;
    for (const source of sources) {
      source.subscribe(() => {
        this.#anchors = undefined;
        this.#intermediates.clear();
        this.#generation++;
      });
    }
  }

  /** Another one after each change: what was found out before counts no more. */
  get generation(): number {
    return this.#generation;
  }

  /** In PEM, all of them. */
  get bundle(): string {
    return this.#sources.map(({ current }) => (current === "" || current.endsWith("\n") ? current : `${current}\n`)).join("");
  }

  /** Whether one of them signed the certificate, itself or by way of certificates that the client sent along. */
  hasSigned(certificate: X509Certificate, now: number): boolean {
    this.#anchors ??= parseCertificates(this.bundle);
    const sent = sentAlong(certificate).filter((one) => one.ca);
    const known = [...sent, ...this.#intermediates.values()].filter((one) => isValidAt(one, now));
    const reached = new Set([certificate]);
    for (const one of reached) {
      if (this.#isAnchored(one, now)) {
        this.#remember([...reached].filter((another) => sent.includes(another)));
        return true;
      }
      for (const next of known) if (reached.size < maxDepth && isIssuedBy(one, next)) reached.add(next);
    }
    return false;
  }

  #isAnchored(one: X509Certificate, now: number): boolean {
    const anchors = this.#anchors ?? [];
    return anchors.some((anchor) => one.raw.equals(anchor.raw) || (isValidAt(anchor, now) && isIssuedBy(one, anchor)));
  }

  #remember(intermediates: readonly X509Certificate[]): void {
    for (const one of intermediates) if (this.#intermediates.size < maxDepth) this.#intermediates.set(one.fingerprint256, one);
  }
}

/** The certificates in a text in PEM, which may have other things in it. @throws Error when one is broken */
export const parseCertificates = (pem: string): X509Certificate[] => [...certificateBlocks(pem)].map((block) => new X509Certificate(block));

function sentAlong(certificate: X509Certificate): X509Certificate[] {
  const sent: X509Certificate[] = [];
  for (let one = certificate.issuerCertificate; one !== undefined && sent.length < maxDepth; one = one.issuerCertificate) sent.push(one);
  return sent;
}

const isIssuedBy = (one: X509Certificate, issuer: X509Certificate): boolean => one.checkIssued(issuer) && one.verify(issuer.publicKey);

/** From when on it is valid, the handshake has checked. */
const isValidAt = ({ validToDate }: X509Certificate, now: number): boolean => now <= validToDate.getTime();
