/** The cluster's own certificate authority: who it is, and its signature. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import type { RandomSource } from "@coxswain/machinery";
import { readElement, tags } from "../der/reader.ts";
import { subjectOf } from "../x509/certificate.ts";
import { type CertificateTemplate, type Issuer, issueCertificate } from "./issue-certificate.ts";

/** Both PEM; the key is EC P-256. */
export interface AuthorityPems {
  readonly cert: string;
  readonly key: string;
}

/** The authority that signs the certificates of a cluster. Its PEM texts are parsed when it signs the first one. */
export class CertificateAuthority {
  readonly #pems: AuthorityPems;
  #issuer: (Issuer & { readonly notAfter: number }) | undefined;

  /** The texts are asked for when they are first needed. */
  constructor(pems: AuthorityPems) {
    this.#pems = pems;
  }

  get cert(): string {
    return this.#pems.cert;
  }

  /** When it ends itself; milliseconds since the epoch. */
  get notAfter(): number {
    return this.#read().notAfter;
  }

  /** Returns PEM. */
  issue(template: Omit<CertificateTemplate, "issuer" | "serial" | "authority">, random: RandomSource): string {
    const serial = Buffer.from(random.uuid().replaceAll("-", ""), "hex");
    return issueCertificate({ ...template, serial, authority: false, issuer: this.#read() });
  }

  /** Read with the first certificate: most servers sign none. */
  #read(): Issuer & { readonly notAfter: number } {
    if (this.#issuer !== undefined) return this.#issuer;
    const certificate = new X509Certificate(this.cert);
    const subject = subjectOf(readElement(certificate.raw, tags.sequence));
    if (subject === undefined) throw new Error("the certificate of the authority has no subject");
    const notAfter = certificate.validToDate.getTime();
    this.#issuer = { subject: subject.whole, publicKey: certificate.publicKey, privateKey: createPrivateKey(this.#pems.key), notAfter };
    return this.#issuer;
  }
}
