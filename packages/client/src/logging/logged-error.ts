/** What logs say of errors, and how often. */

/** What only a mistake in a program throws; what servers and networks do, and what objects lack, is thrown as something else. */
const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError];

/** An error as a field of a log: that of a mistake whole, with its stack; of any other the messages, its own and its causes'. */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error) || mistakes.some((mistake) => error instanceof mistake)) return error;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const causeText = loggedError(cause);
  if (typeof causeText !== "string") return error;
  return error.message.includes(causeText) ? error.message : `${error.message}: ${causeText}`;
}

/** Whether the so-manieth failure in a row, counted from 1, is worth a line: each time that there are twice as many. */
export const isWorthLogging = (failures: number): boolean => Number.isInteger(Math.log2(failures));
