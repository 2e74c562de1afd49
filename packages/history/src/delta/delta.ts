/**
 * A version of an object as its difference from the version before: pieces that are copied from there, and what is new between them.
 * Objects of Kubernetes are JSON of a few kilobytes of which one write changes some words in two or three places.
 */
import { ByteReader, ByteWriter } from "./varint.ts";

/** So many bytes must be equal for a piece to be copied: less is hardly shorter than what it takes to say so. */
const minCopy = 12;

/**
 * What makes `target` of `base`. Its form: the target's length, then again and again the length of what is new, that itself, the length
 * of the piece that follows it in the base, and where that is.
 */
export function encodeDelta(base: Uint8Array, target: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter();
  out.varint(target.byteLength);
  const { prefix, suffix } = sharedEnds(base, target);
  const end = target.byteLength - suffix;
  let literal = 0;
  const copy = (at: number, from: number, length: number): void => {
    out.varint(at - literal);
    out.bytes(target, literal, at);
    out.varint(length);
    out.varint(from);
    literal = at + length;
  };
  if (prefix > 0) copy(0, 0, prefix);
  if (end - prefix >= minCopy) copyMiddle(base, target, { from: prefix, to: end }, copy);
  if (suffix > 0) copy(end, base.byteLength - suffix, suffix);
  if (literal < target.byteLength) {
    out.varint(target.byteLength - literal);
    out.bytes(target, literal);
  }
  return out.take();
}

/** What `encodeDelta` has made a delta of. @throws RangeError for what it has not made of this base */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new ByteReader(delta);
  const length = reader.varint();
  if (length > maxTarget) throw new RangeError("a delta makes too much");
  const target = new Uint8Array(length);
  let at = 0;
  const put = (bytes: Uint8Array): void => {
    if (at + bytes.byteLength > length) throw new RangeError("a delta makes more than it says");
    target.set(bytes, at);
    at += bytes.byteLength;
  };
  while (at < length) {
    put(reader.bytes(reader.varint()));
    if (at === length) break;
    const copied = reader.varint();
    const from = reader.varint();
    if (from + copied > base.byteLength || copied === 0) throw new RangeError("a delta copies what its base does not have");
    put(base.subarray(from, from + copied));
  }
  if (!reader.isAtEnd) throw new RangeError("a delta goes on behind its end");
  return target;
}

/** No value of a store is larger. Bytes. */
const maxTarget = 64 * 1024 * 1024;

function sharedEnds(base: Uint8Array, target: Uint8Array): { readonly prefix: number; readonly suffix: number } {
  const most = Math.min(base.byteLength, target.byteLength);
  let prefix = 0;
  while (prefix < most && base[prefix] === target[prefix]) prefix++;
  let suffix = 0;
  while (suffix < most - prefix && base[base.byteLength - 1 - suffix] === target[target.byteLength - 1 - suffix]) suffix++;
  return { prefix, suffix };
}

/** Positions in the base are known by what stands there at every fourth one; the longest piece around a hit is taken. */
function copyMiddle(
  base: Uint8Array,
  target: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
  copy: (at: number, from: number, length: number) => void,
): void {
  const bits = Math.min(16, Math.max(6, 32 - Math.clz32(base.byteLength >> 2)));
  const known = new Int32Array(1 << bits).fill(-1);
  for (let i = 0; i + minCopy <= base.byteLength; i += 4) known[hashAt(base, i, bits)] = i;
  let unwritten = from;
  for (let at = from; at + minCopy <= to; ) {
    const found = known[hashAt(target, at, bits)] ?? -1;
    if (found < 0 || !sameAt(base, found, target, at)) {
      at++;
      continue;
    }
    let back = 0;
    while (at - back > unwritten && found - back > 0 && base[found - back - 1] === target[at - back - 1]) back++;
    let length = minCopy;
    while (at + length < to && found + length < base.byteLength && base[found + length] === target[at + length]) length++;
    copy(at - back, found - back, back + length);
    at += length;
    unwritten = at;
  }
}

/** Of the eight bytes there. */
function hashAt(bytes: Uint8Array, at: number, bits: number): number {
  const low = word(bytes, at);
  const high = word(bytes, at + 4);
  return (Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b) >>> (32 - bits)) | 0;
}

const word = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);

function sameAt(base: Uint8Array, from: number, target: Uint8Array, at: number): boolean {
  for (let i = 0; i < minCopy; i++) if (base[from + i] !== target[at + i]) return false;
  return true;
}
