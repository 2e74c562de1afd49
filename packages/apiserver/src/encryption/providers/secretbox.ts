import { randomBytes } from "node:crypto";
import { TransformError } from "@coxswain/store";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { type Provider, tooShort } from "./provider.ts";

const nonceBytes = 24;
const tagBytes = 16;

/** XSalsa20 and Poly1305 as NaCl joins them: nonce, tag, ciphertext. */
export const secretbox = (key: Uint8Array): Provider => ({
  seal(value) {
    const nonce = randomBytes(nonceBytes);
    return new Uint8Array(Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(value)]));
  },
  open(sealed) {
    if (sealed.byteLength < nonceBytes + tagBytes) throw tooShort();
    const nonce = Uint8Array.from(sealed.subarray(0, nonceBytes));
    try {
      return { value: xsalsa20poly1305(key, nonce).decrypt(Uint8Array.from(sealed.subarray(nonceBytes))), stale: false };
    } catch {
      throw new TransformError("output array was not large enough for encryption");
    }
  },
});
