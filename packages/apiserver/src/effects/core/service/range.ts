/** Values in order, some of which are in use. */
import type { RandomSource } from "@coxswain/machinery";

export interface Range {
  /** As error messages show it. */
  readonly text: string;
  readonly size: bigint;
  /** So many, from the first on, are left for those that ask for one of them: they are given last. */
  readonly staticSize: bigint;
  at(index: bigint): string;
  has(value: string): boolean;
}

const attempts = 32;

/** Undefined when all are in use. */
export function findFree(range: Range, isUsed: (value: string) => boolean, random: RandomSource): string | undefined {
  const { size, staticSize } = range;
  return (
    freeIn(range, { first: staticSize, count: size - staticSize, isUsed, random }) ??
    freeIn(range, { first: 0n, count: staticSize, isUsed, random })
  );
}

interface Search {
  readonly first: bigint;
  readonly count: bigint;
  readonly isUsed: (value: string) => boolean;
  readonly random: RandomSource;
}

/** By chance first, then, in a crowded range, one after another. */
function freeIn(range: Range, { first, count, isUsed, random }: Search): string | undefined {
  if (count <= 0n) return undefined;
  const start = randomBelow(count, random);
  for (let i = 0; i < attempts; i++) {
    const value = range.at(first + randomBelow(count, random));
    if (!isUsed(value)) return value;
  }
  for (let i = 0n; i < count; i++) {
    const value = range.at(first + ((start + i) % count));
    if (!isUsed(value)) return value;
  }
  return undefined;
}

/** What is larger takes two numbers: one has 53 bits. */
function randomBelow(count: bigint, random: RandomSource): bigint {
  const draw = (below: number): bigint => BigInt(Math.floor(random.next() * below));
  if (count <= BigInt(Number.MAX_SAFE_INTEGER)) return draw(Number(count));
  return ((draw(2 ** 32) << 32n) | draw(2 ** 32)) % count;
}
