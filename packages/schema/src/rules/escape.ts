/**
 * How expressions write the names of properties that are no identifiers: `a-b` is `a__dash__b`, `if` is `__if__`.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */

/** Undefined for names that expressions cannot write. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!name.includes("__") && /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return name;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => `__${words.get(part)}__`);
}

/** The name that is meant; undefined where there is an escape that means nothing. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes("__")) return escaped;
  let known = true;
  const name = escaped.replace(/__([^_]+)__/g, (all, word: string) => {
    const part = parts.get(word) ?? (reserved.has(word) && all === escaped ? word : undefined);
    known &&= part !== undefined;
    return part ?? "";
  });
  return known ? name : undefined;
}

/** A keyword may be written as it is after a dot, where it cannot be one. */
export const isReserved = (name: string): boolean => reserved.has(name);

const reserved: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
const words: ReadonlyMap<string, string> = new Map([
  ["__", "underscores"],
  [".", "dot"],
  ["-", "dash"],
  ["/", "slash"],
]);
const parts: ReadonlyMap<string, string> = new Map([...words].map(([part, word]) => [word, part]));
