/** Private keys: made, and as PEM. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";

/** Both halves of a key. */
export interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Generates an EC P-256 key. */
export const newKeys = (): Keys => generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Returns a private key in PEM (PKCS #8, "BEGIN PRIVATE KEY"). */
export const exportKey = (key: KeyObject): string => key.export({ format: "pem", type: "pkcs8" }).toString();
