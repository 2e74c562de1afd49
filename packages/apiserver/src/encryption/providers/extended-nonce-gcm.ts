import { createHmac, randomBytes } from "node:crypto";
import { aesGcm } from "./aes-gcm.ts";
import { type Provider, tooShort } from "./provider.ts";

const infoBytes = 32;

/** Each value has a key of its own, which HKDF expands from the seed and 32 random bytes; those stand before nonce, ciphertext and tag. */
export const extendedNonceGcm = (seed: Uint8Array): Provider => ({
  seal(value, context) {
    const info = randomBytes(infoBytes);
    return Buffer.concat([info, aesGcm(expand(seed, info)).seal(value, context)]);
  },
  open(sealed, context) {
    if (sealed.byteLength < infoBytes) throw tooShort();
    return aesGcm(expand(seed, sealed.subarray(0, infoBytes))).open(sealed.subarray(infoBytes), context);
  },
});

/** The first block of HKDF's second step, with SHA-256: as long as a key. */
const expand = (seed: Uint8Array, info: Uint8Array): Buffer =>
  createHmac("sha256", seed)
    .update(info)
    .update(new Uint8Array([1]))
    .digest();
