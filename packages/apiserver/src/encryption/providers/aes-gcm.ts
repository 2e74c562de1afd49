import { createCipheriv, createDecipheriv, randomFillSync } from "node:crypto";
import { TransformError } from "@coxswain/store";
import { type Provider, tooShort } from "./provider.ts";

const nonceBytes = 12;
const tagBytes = 16;

type Gcm = "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm";

/** Nonce, ciphertext, tag. With a random nonce, a key is good for 200,000 writes by Kubernetes' advice. */
export function aesGcm(key: Uint8Array): Provider {
  const algorithm = `aes-${key.byteLength * 8}-gcm` as Gcm;
  return {
    seal(value, context) {
      const sealed = Buffer.allocUnsafeSlow(nonceBytes + value.byteLength + tagBytes);
      randomFillSync(sealed, 0, nonceBytes);
      const cipher = createCipheriv(algorithm, key, sealed.subarray(0, nonceBytes)).setAAD(context);
      sealed.set(cipher.update(value), nonceBytes);
      cipher.final();
      sealed.set(cipher.getAuthTag(), nonceBytes + value.byteLength);
      return sealed;
    },
    open(sealed, context) {
      if (sealed.byteLength < nonceBytes) throw tooShort();
      const end = sealed.byteLength - tagBytes;
      if (end < nonceBytes) throw notAuthentic();
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(context).setAuthTag(sealed.subarray(end));
      const value = decipher.update(sealed.subarray(nonceBytes, end));
      try {
        decipher.final();
      } catch {
        throw notAuthentic();
      }
      return { value: new Uint8Array(value), stale: false };
    },
  };
}

const notAuthentic = (): TransformError => new TransformError("cipher: message authentication failed");
