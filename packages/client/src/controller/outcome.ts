/** What a reconcile comes to. */

export type Outcome =
  /** All is as it should be, until something changes. */
  | { readonly kind: "done" }
  /** Look again after this time even if nothing changes; with 0, after the key's growing backoff. */
  | { readonly kind: "requeue"; readonly afterMs: number };

/** The outcome of a reconcile that leaves nothing to do. */
export const done: Outcome = { kind: "done" };

/** Makes the outcome that asks for another reconcile after `afterMs`. */
export const requeue = (afterMs: number): Outcome => ({ kind: "requeue", afterMs });

/** Thrown by a reconcile that trying again cannot help: it is not repeated until something changes. */
export class Unretryable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Unretryable";
  }
}
