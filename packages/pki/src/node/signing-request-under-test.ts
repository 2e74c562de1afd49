/** Makes signing requests as openssl would: the tests' counterpart of the parser. */

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { bitString, objectIdentifier, sequence } from "../der/writer.ts";
import { type Attribute, attributeTypes, writeName } from "../x509/name.ts";
import { pemOfRequest, requestInfo } from "./write-signing-request.ts";

export interface Wanted {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly others?: readonly Attribute[];
  readonly dns?: readonly string[];
  readonly email?: readonly string[];
  readonly uri?: readonly string[];
  readonly ip?: readonly Uint8Array[];
  readonly key?: keyof typeof algorithms;
  /** Instead of the algorithm that the key has. */
  readonly algorithm?: string;
  /** Instead of with its own key. */
  readonly signedWith?: KeyObject;
}

const keys = {
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ed25519: generateKeyPairSync("ed25519"),
  unusual: generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
  short: generateKeyPairSync("rsa", { modulusLength: 512 }),
};
const ecdsa = "1.2.840.10045.4.3.2";
const rsa = "1.2.840.113549.1.1.11";
const algorithms = { ec: ecdsa, rsa, ed25519: "1.3.101.112", unusual: ecdsa, short: rsa };

export function signingRequestDer(wanted: Wanted): Uint8Array {
  const { key: kind = "ec", organizations = [], others = [], commonName } = wanted;
  const key = keys[kind];
  const subject = [
    ...organizations.map((value) => ({ type: attributeTypes.organization, value })),
    ...others,
    ...(commonName === undefined ? [] : [{ type: attributeTypes.commonName, value: commonName }]),
  ];
  const { dns = [], email = [], uri = [], ip = [] } = wanted;
  const info = requestInfo(writeName(subject), key.publicKey, { dns, email, uri, ip });
  const signature = sign(kind === "ed25519" ? null : "sha256", info, wanted.signedWith ?? key.privateKey);
  return sequence(info, sequence(objectIdentifier(wanted.algorithm ?? algorithms[kind])), bitString(signature));
}

/** As `spec.request` has it. */
export const encodedRequest = (der: Uint8Array): string => Buffer.from(pemOfRequest(der)).toString("base64");

export const signingRequest = (wanted: Wanted): string => encodedRequest(signingRequestDer(wanted));
