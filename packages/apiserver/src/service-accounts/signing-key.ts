/** The keys of service account tokens: the one that signs, those whose signatures count, and the names that tokens and key sets have for them. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { exportKey, newKeys } from "@coxswain/pki/node";

/** A key whose signatures on tokens count. */
export interface VerificationKey {
  readonly publicKey: KeyObject;
  /** The `kid` of tokens and key sets: a digest of the public key, as Kubernetes makes it. */
  readonly id: string;
  /** As JSON Web Algorithms call how it signs. */
  readonly algorithm: string;
}

/** The key that signs tokens. */
export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

/** A new private key (EC P-256) in PEM. */
export const makeServiceAccountKey = (): string => exportKey(newKeys().privateKey);

/** Reads a signing key from PEM. @throws Error when the text is no private key in PEM, or one of a kind that signs no tokens */
export function readSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  return { privateKey, ...verificationKeyOf(createPublicKey(privateKey)) };
}

const block = /-----BEGIN ([A-Z ]+)-----[^-]*-----END \1-----/g;

/**
 * Reads all public keys of a file in PEM: those of private keys and of certificates, too; other blocks are passed over.
 * @throws Error when there is none, or one of a kind that signs no tokens
 */
export function readVerificationKeys(pem: string): readonly VerificationKey[] {
  const blocks = [...pem.matchAll(block)].filter(([, label = ""]) => /(?:KEY|CERTIFICATE)$/.test(label));
  if (blocks.length === 0) throw new Error("data does not contain any valid RSA or ECDSA public keys");
  return blocks.map(([text]) => verificationKeyOf(createPublicKey(text)));
}

const algorithms: Readonly<Record<string, string>> = {
  __proto__: null as never,
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

function verificationKeyOf(publicKey: KeyObject): VerificationKey {
  const algorithm = publicKey.asymmetricKeyType === "rsa" ? "RS256" : algorithms[publicKey.asymmetricKeyDetails?.namedCurve ?? ""];
  if (algorithm === undefined) throw new Error("service account tokens need an RSA key, or an EC key of P-256, P-384 or P-521");
  const id = createHash("sha256")
    .update(publicKey.export({ format: "der", type: "spki" }))
    .digest("base64url");
  return { publicKey, id, algorithm };
}
