/** The key that signs service account tokens, and the name that tokens and key sets have for it. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { exportKey, newKeys } from "@coxswain/pki/node";

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The `kid` of tokens and key sets: a digest of the public key, as Kubernetes makes it. */
  readonly id: string;
}

/** A new private key (EC P-256) in PEM. */
export const makeServiceAccountKey = (): string => exportKey(newKeys().privateKey);

/** Reads a signing key from PEM. @throws Error when the text is no private EC P-256 key in PEM */
export function readSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw new Error("service account tokens need an EC P-256 key");
  const publicKey = createPublicKey(privateKey);
  const id = createHash("sha256")
    .update(publicKey.export({ format: "der", type: "spki" }))
    .digest("base64url");
  return { privateKey, publicKey, id };
}
