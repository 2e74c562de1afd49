/** What each compiled part of a path is. */

/** How many more values an evaluation may touch; chained descents would touch any number of them. */
export interface Budget {
  left: number;
}

export type Step = (input: readonly unknown[], budget: Budget) => readonly unknown[];
