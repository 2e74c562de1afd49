/** Options as programs without types give them: an unknown name is rejected, not ignored. */

/** Every option of `T`, each once: the compiler says which is missing. */
export type OptionNames<T> = Readonly<Record<keyof T & string, true>>;

/**
 * Checks the names of the options that `what` was given.
 * @throws TypeError for one that it does not take, with the nearest that it does
 */
export function validateOptions<T extends object>(what: string, options: T, names: OptionNames<T>): void {
  const known = Object.keys(names);
  if (!isObject(options)) throw new TypeError(`${what} takes an object of options (${known.join(", ")}), not ${show(options)}`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  const hint = near === undefined ? "." : `; did you mean ${near}?`;
  throw new TypeError(`${what} has no option ${unknown}${hint} It takes ${known.join(", ")}`);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);

/** A value as an error message shows it. */
export const show = (value: unknown): string => {
  const text = typeof value === "string" ? JSON.stringify(value) : typeof value === "object" ? asJson(value) : String(value);
  return text.length > 100 ? `${text.slice(0, 99).toWellFormed()}…` : text;
};

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return Object.prototype.toString.call(value); // one that holds itself
  }
}

/** The known name that is this one but for its ending, its capitals or a few letters; undefined when none is. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const ranked = known.map((one) => ({ one, edits: one.toLowerCase().startsWith(lower) ? 0.5 : editDistance(lower, one.toLowerCase()) }));
  const [best] = ranked.sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= Math.max(2, lower.length / 3) ? best.one : undefined;
}

/** Letters that are to be put in, left out or changed. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries())
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    row = next;
  }
  return row[to.length] ?? 0;
}
