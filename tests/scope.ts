/** How much a run of the tests covers, and when it gives up waiting. */

/** `npm test -- --all`: everything, not a sample. */
export const runsAll = process.env.COXSWAIN_TESTS === "all";

/** How often a property is tried: fixed numbers, so that a slow machine tries as much as a quick one. */
export const propertyRuns = (all: number): number => (runsAll ? all : Math.ceil(all / 4));

/** The rows of a long matrix, or those that stand for the rest. */
export const sampleOf = <T>(all: readonly T[], sample: (row: T, index: number) => boolean): readonly T[] =>
  runsAll ? all : all.filter(sample);
