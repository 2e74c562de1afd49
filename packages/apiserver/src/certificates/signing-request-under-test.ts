/** Makes signing requests as openssl would: the tests' counterpart of the parser. */

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { type Attribute, attributeTypes } from "@coxswain/machinery";
import { bitString, explicit, implicit, integer, objectIdentifier, octetString, sequence, set } from "./der-writer.ts";
import { writeName } from "./distinguished-name.ts";

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
  const spki = key.publicKey.export({ format: "der", type: "spki" });
  const info = sequence(integer(Uint8Array.of(0)), writeName(subject), spki, explicit(0, ...extensionRequest(wanted)));
  const signature = sign(kind === "ed25519" ? null : "sha256", info, wanted.signedWith ?? key.privateKey);
  return sequence(info, sequence(objectIdentifier(wanted.algorithm ?? algorithms[kind])), bitString(signature));
}

function extensionRequest({ dns = [], email = [], uri = [], ip = [] }: Wanted): Uint8Array[] {
  const names = [
    ...email.map((name) => implicit(1, Buffer.from(name))),
    ...dns.map((name) => implicit(2, Buffer.from(name))),
    ...uri.map((name) => implicit(6, Buffer.from(name))),
    ...ip.map((bytes) => implicit(7, bytes)),
  ];
  if (names.length === 0) return [];
  const extension = sequence(objectIdentifier("2.5.29.17"), octetString(sequence(...names)));
  return [sequence(objectIdentifier("1.2.840.113549.1.9.14"), set(sequence(extension)))];
}

/** As `spec.request` has it. */
export const encodedRequest = (der: Uint8Array): string =>
  Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`).toString(
    "base64",
  );

export const signingRequest = (wanted: Wanted): string => encodedRequest(signingRequestDer(wanted));
