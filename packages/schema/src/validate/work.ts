/**
 * What checking one object may cost. Patterns take time for each character and instruction, alternatives for each of them
 * and each value: without a bound, a small definition and a large object could keep the server busy for minutes.
 */
export class Work {
  readonly #validationBudget: ValidationBudget | undefined;
  #left = maxWork;
  #unseen = 0;

  constructor(validationBudget?: ValidationBudget) {
    this.#validationBudget = validationBudget;
  }

  /** A unit is about ten nanoseconds. @throws TooMuchWork, and what the budget ends with */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new TooMuchWork();
    if (this.#validationBudget === undefined) return;
    this.#unseen += units;
    if (this.#unseen < unitsBetweenChecks) return;
    this.#unseen = 0;
    this.#validationBudget.check();
  }
}

/** For how long a caller lets one object be worked on where others wait meanwhile. */
export interface ValidationBudget {
  /** Units of cost that one rule may take. */
  readonly cost: number;
  /** Bytes of defaults that the object may be given, about. */
  readonly defaultBytes: number;
  /** Called now and then; throws when it has taken too long. */
  check(): void;
  /** Throws, as `check` does, because more is to come than the budget allows. */
  exceeded(): never;
}

/** One is a millisecond. */
const unitsBetweenChecks = 100_000;

const maxWork = 30_000_000;

/** Reporting what is wrong with a value takes longer than finding that something is. */
export const workOfAlternative = { accepts: 50, explain: 300 };

export const workOfEnumValue = 5;

export class TooMuchWork extends Error {}
