/** Names of ControllerRevisions: the same that Kubernetes gives for the same data. */
import { stringifyAsGo } from "@coxswain/machinery";
import { safeText } from "../pods/template-hash.ts";

/** `collisionCount` makes another of it where the name is taken. */
export const revisionHash = (data: unknown, collisionCount: number): string =>
  safeText(String(fnv1(new TextEncoder().encode(stringifyAsGo(data) + collisionCount))));

/** Leaves room for the hash in a name of 253 characters. */
const longestPrefix = 223;

export const revisionName = (owner: string, hash: string): string => `${owner.slice(0, longestPrefix)}-${hash}`;

/** 32 bits. */
function fnv1(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash >>> 0;
}
