/** Chance that is the same in every run of a seed. */
export interface Random {
  /** An integer from 0 to below `below`. */
  below(below: number): number;
  /** True once in `n` times. */
  oneIn(n: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32: small and quick, and good enough to choose inputs. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return {
    below,
    oneIn: (n) => below(n) === 0,
    pick(from) {
      const picked = from[below(from.length)];
      if (picked === undefined && from.length === 0) throw new Error("nothing to pick from");
      return picked as (typeof from)[number];
    },
  };
}
