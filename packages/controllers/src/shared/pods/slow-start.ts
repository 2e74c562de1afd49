/**
 * Does the same many times over, first once, then in batches of twice the size, as long as all goes well: what fails
 * for one, such as a quota, fails for thousands, and is tried for few of them.
 */
export interface SlowStartResult {
  readonly succeeded: number;
  /** The first of the batch that ended it. */
  readonly error?: unknown;
}

export async function slowStart(count: number, fn: () => Promise<unknown>): Promise<SlowStartResult> {
  let succeeded = 0;
  for (let size = Math.min(1, count); size > 0; size = Math.min(2 * size, count - succeeded)) {
    const outcomes = await Promise.allSettled(Array.from({ length: size }, () => fn()));
    const failed = outcomes.filter((outcome) => outcome.status === "rejected");
    succeeded += size - failed.length;
    if (failed[0] !== undefined) return { succeeded, error: failed[0].reason };
  }
  return { succeeded };
}
