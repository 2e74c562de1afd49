import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { TransformError } from "@coxswain/store";
import { type Provider, tooShort } from "./provider.ts";

const blockBytes = 16;

/** Vector, then blocks with PKCS #7 padding. Nothing is authenticated: whoever can change the disk can change values. */
export function aesCbc(key: Uint8Array): Provider {
  const algorithm = `aes-${key.byteLength * 8}-cbc`;
  return {
    seal(value) {
      const vector = randomBytes(blockBytes);
      const cipher = createCipheriv(algorithm, key, vector);
      return new Uint8Array(Buffer.concat([vector, cipher.update(value), cipher.final()]));
    },
    open(sealed) {
      if (sealed.byteLength < blockBytes) throw tooShort();
      if (sealed.byteLength % blockBytes !== 0) throw new TransformError("the stored data is not a multiple of the block size");
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, blockBytes)).setAutoPadding(false);
      const padded = Buffer.concat([decipher.update(sealed.subarray(blockBytes)), decipher.final()]);
      return { value: new Uint8Array(padded.subarray(0, unpaddedLength(padded))), stale: false };
    },
  };
}

function unpaddedLength(padded: Uint8Array): number {
  const padding = padded.at(-1) ?? 0;
  if (padding === 0 || padding > padded.byteLength) throw new TransformError("invalid PKCS7 data (empty or not padded)");
  const length = padded.byteLength - padding;
  if (!padded.subarray(length).every((byte) => byte === padding)) throw new TransformError("invalid padding on input");
  return length;
}
