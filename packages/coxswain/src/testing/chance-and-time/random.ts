/** Chance that repeats itself: the same seed gives the same uids, suffixes and jitter. */
import type { RandomSource } from "@coxswain/machinery";

/** A source of chance that gives the same values again for the same seed. */
export interface SeededRandom extends RandomSource {
  /** Another source that goes on as this one would, and from there on by itself. */
  copy(): SeededRandom;
  /** Another source, of its own for this name, that takes nothing from this one. */
  named(name: string): SeededRandom;
}

/** Not for secrets. */
export const seededRandom = (seed: number): SeededRandom => namedFrom([seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0, 1], "");

type State = readonly [number, number, number, number];

/** SFC32: small, fast, and its 128 bits of state keep sources of different names apart. */
function sourceFrom(start: State): SeededRandom {
  let [a, b, c, counter] = start;
  const bits = (): number => {
    const out = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + out) | 0;
    return out >>> 0;
  };
  return {
    next: () => bits() / 2 ** 32,
    uuid: () => uuidOf([bits(), bits(), bits(), bits()]),
    copy: () => sourceFrom([a, b, c, counter]),
    named: (name) => namedFrom(start, name),
  };
}

function namedFrom([a, b, c, counter]: State, name: string): SeededRandom {
  let hash = 0x811c9dc5; // FNV-1a
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  const source = sourceFrom([a ^ hash, b, c ^ (hash >>> 16), counter]);
  for (let i = 0; i < 12; i++) source.next(); // until every bit of the seed is in every word
  return source;
}

/** Version 4, variant 1. */
function uuidOf(words: readonly number[]): string {
  const hex = words.map((word) => word.toString(16).padStart(8, "0")).join("");
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
