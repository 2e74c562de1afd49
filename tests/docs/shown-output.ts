/** Whether a program has printed what a page shows, for all that is another in each run. */

/** What is another in each run, as pages write it, and what may stand there instead. */
const variable: readonly (readonly [shown: RegExp, printed: string])[] = [
  [/…/, ".*?"],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/, "[0-9a-f-]{36}"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/, "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z"],
  // Of a Pod of a Deployment, and of other Pods: a hash, and five characters.
  [/-[0-9a-f]{8,10}-[a-z0-9]{5}\b/, "-[0-9a-f]{8,10}-[a-z0-9]{5}"],
  [/\b127\.0\.0\.1:\d+\b/, "127\\.0\\.0\\.1:\\d+"],
  [/\b\d+\.\d+\.\d+\.\d+\b/, "\\d+\\.\\d+\\.\\d+\\.\\d+"],
  [/(?<![\w.])\/(?:home|Users|tmp)\/[\w./-]+/, "/[\\w./-]+"],
  // An age.
  [/(?<![\w.-])(?:\d+(?:\.\d+)?(?:ms|[smhd]))+\b/, "(?:\\d+(?:\\.\\d+)?(?:ms|[smhd]))+"],
];
const anyVariable = new RegExp(variable.map(([shown]) => `(${shown.source})`).join("|"), "g");

/** A line with `…` alone stands for any lines. `prefix`: more may follow, as of a program that goes on. */
export function outputMatches(shown: string, printed: string, { prefix = false }: { readonly prefix?: boolean } = {}): boolean {
  const lines = shown.split("\n").map((line) => (line.trim() === "…" ? "(?:.*\\n)*?" : `${lineSource(line)}[^\\S\\n]*\\n`));
  return new RegExp(`^\\s*${lines.join("")}${prefix ? "" : "\\s*$"}`).test(`${printed}\n`);
}

function lineSource(line: string): string {
  let source = "";
  let end = 0;
  for (const match of line.matchAll(anyVariable)) {
    source += fixed(line.slice(end, match.index)) + (variable[match.slice(1).findIndex((group) => group !== undefined)]?.[1] ?? "");
    end = match.index + match[0].length;
  }
  return source + fixed(line.slice(end));
}

/** Columns are as wide as what stands in them. */
const fixed = (text: string): string =>
  text
    .split(/([^\S\n]+)/)
    .map((part, i) => (i % 2 === 1 ? "[^\\S\\n]+" : RegExp.escape(part)))
    .join("");
