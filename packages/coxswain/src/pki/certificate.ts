/**
 * X.509 certificates with EC P-256 keys, written by hand: the libraries for it take longer to load than the whole
 * server takes to start (docs/adr/0005).
 * @see https://www.rfc-editor.org/rfc/rfc5280
 */
import { createHash, type KeyObject, sign } from "node:crypto";
import { bitString, boolean, explicit, implicit, integer, objectIdentifier, octetString, sequence, set, time, utf8String } from "./der.ts";
import { ipBytes } from "./ip-bytes.ts";

export interface CertificateRequest {
  /** The common name. */
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly issuer: { readonly subject: string; readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  /** Random, at most 20 bytes. */
  readonly serial: Uint8Array;
  /** Milliseconds since the epoch; certificates know whole seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly use:
    | { readonly kind: "authority" }
    | { readonly kind: "server"; readonly dns: readonly string[]; readonly ip: readonly string[] };
}

const oid = {
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
};

/** Returns PEM. */
export function issueCertificate(request: CertificateRequest): string {
  const algorithm = sequence(objectIdentifier(oid.ecdsaWithSha256));
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))), // version 3
    integer(request.serial),
    algorithm,
    name(request.issuer.subject),
    sequence(time(request.notBefore), time(request.notAfter)),
    name(request.subject),
    spki(request.publicKey),
    explicit(3, sequence(...extensions(request))),
  );
  return pem("CERTIFICATE", sequence(body, algorithm, bitString(sign("sha256", body, request.issuer.privateKey))));
}

const name = (commonName: string): Uint8Array => sequence(set(sequence(objectIdentifier(oid.commonName), utf8String(commonName))));

const spki = (key: KeyObject): Uint8Array => key.export({ format: "der", type: "spki" });

function extensions({ use, publicKey, issuer }: CertificateRequest): Uint8Array[] {
  const keyIds = [
    extension(oid.subjectKeyIdentifier, false, octetString(keyId(publicKey))),
    extension(oid.authorityKeyIdentifier, false, sequence(implicit(0, keyId(issuer.publicKey)))),
  ];
  switch (use.kind) {
    case "authority":
      return [
        ...keyIds,
        extension(oid.basicConstraints, true, sequence(boolean(true))),
        extension(oid.keyUsage, true, bitString(Uint8Array.of(0b0000_0110), 1)), // keyCertSign, cRLSign
      ];
    case "server":
      return [
        ...keyIds,
        extension(oid.basicConstraints, true, sequence()),
        extension(oid.keyUsage, true, bitString(Uint8Array.of(0b1000_0000), 7)), // digitalSignature
        extension(oid.extendedKeyUsage, false, sequence(objectIdentifier(oid.serverAuth))),
        extension(
          oid.subjectAltName,
          false,
          sequence(...use.dns.map((host) => implicit(2, Buffer.from(host))), ...use.ip.map((ip) => implicit(7, ipBytes(ip)))),
        ),
      ];
  }
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
