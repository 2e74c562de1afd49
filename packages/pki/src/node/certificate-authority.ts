/** The cluster's own certificate authority: who it is, and its signature. */

import { X509Certificate } from "node:crypto";
import type { RandomSource } from "@coxswain/machinery";
import { type CertificateTemplate, type Issuer, issueCertificate } from "./issue-certificate.ts";
import { issuerOf } from "./issue-pair.ts";

/** Both PEM; the key is EC, RSA or Ed25519. */
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
    this.#issuer = { ...issuerOf(this.#pems), notAfter: new X509Certificate(this.cert).validToDate.getTime() };
    return this.#issuer;
  }
}
