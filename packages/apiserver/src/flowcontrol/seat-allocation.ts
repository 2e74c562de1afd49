/**
 * Divides seats among priority levels.
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness#dispatching
 */

/** What a level must get, may get, and would like to get. */
export interface SeatBounds {
  readonly lower: number;
  readonly upper: number;
  readonly target: number;
}

export interface SeatAllocation {
  readonly seats: readonly number[];
  /** By which the targets are multiplied where no bound stands in the way. */
  readonly fairFraction: number;
}

/** So that nothing is divided by zero. */
const minTarget = 0.001;

/**
 * Each level gets the same multiple of its target, within its bounds, so that all get `total` together.
 * Undefined where the bounds leave no way.
 */
export function allocateSeats(total: number, levels: readonly SeatBounds[]): SeatAllocation | undefined {
  const wanted = levels.map(({ lower, upper, target }) => ({ lower, upper, target: Math.max(target, minTarget) }));
  const at = (fraction: number): readonly number[] =>
    wanted.map(({ lower, upper, target }) => Math.max(lower, Math.min(upper, fraction * target)));
  const sum = (seats: readonly number[]): number => seats.reduce((all, one) => all + one, 0);
  const low = sum(wanted.map(({ lower }) => lower));
  const high = sum(wanted.map(({ upper }) => upper));
  const isOff = 1e-7;
  if (low - total > isOff || total - high > isOff) return undefined;
  // The sum grows in straight lines between these fractions, at which a level reaches one of its bounds.
  const bends = wanted.flatMap(({ lower, upper, target }) => [lower / target, upper / target]).sort((a, b) => a - b);
  let before = 0;
  for (const bend of bends) {
    if (sum(at(bend)) >= total) {
      const [from, to] = [sum(at(before)), sum(at(bend))];
      const fairFraction = to === from ? bend : before + ((bend - before) * (total - from)) / (to - from);
      return { seats: at(fairFraction), fairFraction };
    }
    before = bend;
  }
  return { seats: at(before), fairFraction: before };
}
