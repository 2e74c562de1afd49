/**
 * X.509 certificates, written by hand: the libraries for it take longer to load than the whole server takes to start
 * (docs/adr/0005).
 * @see https://www.rfc-editor.org/rfc/rfc5280
 */

import { createHash, type KeyObject, sign } from "node:crypto";
import { bitString, boolean, explicit, implicit, integer, objectIdentifier, octetString, sequence, time } from "../der/writer.ts";
import type { AlternativeNames } from "../x509/certificate-request.ts";

/** Who signs a certificate; for a self-signed one the subject itself. */
export interface Issuer {
  /** Its distinguished name, encoded as in its own certificate. */
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  /** EC, RSA or Ed25519. */
  readonly privateKey: KeyObject;
  /** Its key's identifier in its own certificate; empty where that has none. Default: what is made here for a key. */
  readonly keyId?: Uint8Array;
}

/** What a certificate says, and who signs it. */
export interface CertificateTemplate {
  /** A distinguished name, encoded. */
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  readonly issuer: Issuer;
  /** Random, at most 20 bytes. */
  readonly serial: Uint8Array;
  /** Milliseconds since the epoch; certificates know whole seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether it may sign others. */
  readonly authority: boolean;
  readonly usages: readonly Usage[];
  readonly names: AlternativeNames;
}

/** As Kubernetes calls them. */
export type Usage = keyof typeof keyUsages | keyof typeof extendedKeyUsages;

/** Bits, counted from the highest of the first byte. */
const keyUsages = { "digital signature": 0, "key encipherment": 2, "cert sign": 5, "crl sign": 6 } as const;
const extendedKeyUsages = { "server auth": "1.3.6.1.5.5.7.3.1", "client auth": "1.3.6.1.5.5.7.3.2" } as const;

const oid = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  rsaWithSha256: "1.2.840.113549.1.1.11",
  ed25519: "1.3.101.112",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
};

/** Returns the signed certificate in PEM. */
export function issueCertificate(template: CertificateTemplate): string {
  const { issuer } = template;
  const { algorithm, digest } = signatureOf(issuer.privateKey);
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))), // version 3
    integer(template.serial),
    algorithm,
    issuer.subject,
    sequence(time(template.notBefore), time(template.notAfter)),
    template.subject,
    spki(template.publicKey),
    explicit(3, sequence(...extensions(template))),
  );
  return pem("CERTIFICATE", sequence(body, algorithm, bitString(sign(digest, body, issuer.privateKey))));
}

/** The ASN.1 null that stands where RSA has no parameters. */
const none = Uint8Array.of(0x05, 0x00);

/** @throws Error for keys of other kinds */
function signatureOf({ asymmetricKeyType: kind }: KeyObject): { readonly algorithm: Uint8Array; readonly digest: string | null } {
  switch (kind) {
    case "ec":
      return { algorithm: sequence(objectIdentifier(oid.ecdsaWithSha256)), digest: "sha256" };
    case "rsa":
      return { algorithm: sequence(objectIdentifier(oid.rsaWithSha256), none), digest: "sha256" };
    case "ed25519":
      return { algorithm: sequence(objectIdentifier(oid.ed25519)), digest: null };
    default:
      throw new Error(`an authority cannot sign with a key of type ${kind}`);
  }
}

const spki = (key: KeyObject): Uint8Array => key.export({ format: "der", type: "spki" });

function extensions({ publicKey, issuer, authority, usages, names }: CertificateTemplate): Uint8Array[] {
  const purposes = usages.flatMap((usage) => (usage in extendedKeyUsages ? [objectIdentifier(purpose(usage))] : []));
  const alternatives = [
    ...names.dns.map((name) => implicit(2, Buffer.from(name))),
    ...names.email.map((name) => implicit(1, Buffer.from(name))),
    ...names.ip.map((bytes) => implicit(7, bytes)),
    ...names.uri.map((name) => implicit(6, Buffer.from(name))),
  ];
  const { keyId: issuerKey = keyId(issuer.publicKey) } = issuer;
  return [
    ...keyUsageExtension(usages),
    ...(purposes.length === 0 ? [] : [extension(oid.extendedKeyUsage, false, sequence(...purposes))]),
    extension(oid.basicConstraints, true, authority ? sequence(boolean(true)) : sequence()),
    extension(oid.subjectKeyIdentifier, false, octetString(keyId(publicKey))),
    ...(issuerKey.byteLength === 0 ? [] : [extension(oid.authorityKeyIdentifier, false, sequence(implicit(0, issuerKey)))]),
    ...(alternatives.length === 0 ? [] : [extension(oid.subjectAltName, false, sequence(...alternatives))]),
  ];
}

const purpose = (usage: Usage): string => extendedKeyUsages[usage as keyof typeof extendedKeyUsages];

function keyUsageExtension(usages: readonly Usage[]): Uint8Array[] {
  let bits = 0;
  for (const usage of usages) if (usage in keyUsages) bits |= 0x80 >> keyUsages[usage as keyof typeof keyUsages];
  if (bits === 0) return [];
  const unused = 31 - Math.clz32(bits & -bits);
  return [extension(oid.keyUsage, true, bitString(Uint8Array.of(bits), unused))];
}

const extension = (id: string, critical: boolean, value: Uint8Array): Uint8Array =>
  sequence(objectIdentifier(id), ...(critical ? [boolean(true)] : []), octetString(value));

/** Any digest that names the key will do; RFC 7093 has this one. */
const keyId = (key: KeyObject): Uint8Array => createHash("sha256").update(spki(key)).digest().subarray(0, 20);

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
