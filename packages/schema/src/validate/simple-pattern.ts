/**
 * Patterns that JavaScript's engine may run: anchored, and so plain that it cannot search for long, whatever the text.
 * They mean the same there as in RE2, and run ten times as fast.
 */

const escapes = "dw./+*?()[\\]{}|^$\\\\";
const token = new RegExp(
  `${[
    "(?:[A-Za-z0-9 _/:@,#%&~'\"!=<>;-]", // itself
    `\\\\[${escapes}]`,
    `\\[(?:\\^(?!\\])|(?!\\^))(?:[^\\\\[\\]]|\\\\[${escapes}-])+\\])`, // one of several
  ].join("|")}(?<repeat>[?*+]|\\{(?<least>\\d+)(?<most>,\\d*)?\\})?`,
  "y",
);

/** How often the engine may have to start again, but for one repetition without an end. */
const maxWays = 64;

export function simplePattern(pattern: string): RegExp | undefined {
  if (!pattern.startsWith("^")) return undefined;
  const end = pattern.endsWith("$") && !pattern.endsWith("\\$") ? pattern.length - 1 : pattern.length;
  let ways = 1;
  let endless = 0;
  token.lastIndex = 1;
  while (token.lastIndex < end) {
    const groups = token.exec(pattern)?.groups;
    if (groups === undefined) return undefined;
    const count = waysOf(groups.repeat, groups.least, groups.most);
    if (count === Number.POSITIVE_INFINITY) endless++;
    else ways *= count;
    if (endless > 1 || ways > maxWays) return undefined;
  }
  return tryCompile(pattern);
}

function waysOf(repeat: string | undefined, least: string | undefined, most: string | undefined): number {
  if (repeat === "?") return 2;
  if (repeat === "*" || repeat === "+" || most === ",") return Number.POSITIVE_INFINITY;
  return most === undefined ? 1 : Number(most.slice(1)) - Number(least) + 1;
}

/** With the flag that makes JavaScript see whole characters; what it then refuses is not simple. */
function tryCompile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}
