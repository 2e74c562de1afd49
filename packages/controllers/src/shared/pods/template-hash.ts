/**
 * Names a Pod template in the label `pod-template-hash` and in what is made of it. The value means nothing but "this
 * template": it is FNV-1a of the template as JSON with sorted keys, in the form of Kubernetes' own hashes. Kubernetes
 * hashes what Go prints of its structs, which differs between its own versions too; so templates are distinguished by
 * comparing them, and a set that another controller has named is found all the same.
 */
import type { coreV1 } from "@coxswain/api";
import { stringifyJson } from "@coxswain/machinery";

/** `collisionCount` makes another of it where the name is taken. */
export function templateHash(template: coreV1.PodTemplateSpec, collisionCount: number | undefined): string {
  const bytes = new TextEncoder().encode(stringifyJson(withSortedKeys(template)));
  const hash = fnv1a(bytes);
  return safeText(String(collisionCount === undefined ? hash : fnv1a(littleEndian(collisionCount), hash)));
}

/** 32 bits; `seed` goes on with the hash of what came before. */
export function fnv1a(bytes: Uint8Array, seed = 0x811c9dc5): number {
  let hash = seed;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Without vowels, so that no words come of it, and without what looks like them. */
const letters = "bcdfghjklmnpqrstvwxz2456789";

/** As Kubernetes writes numbers into names. */
export const safeText = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => letters[byte % letters.length]).join("");

function littleEndian(count: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setUint32(0, count, true);
  return bytes;
}

/** The same JSON, whoever wrote it down. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, withSortedKeys(member)]));
}
