/** Reads TypeScript just well enough to distinguish code from comments and strings, and to find its imports. */

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Erased before anything runs. */
  readonly typeOnly: boolean;
  /** What is imported by name; "*" for everything (`import *`, `export *`, `import()`). */
  readonly names: readonly string[];
}

export interface Source {
  readonly imports: readonly Import[];
  /** The text with the insides of comments, strings and regular expressions blanked; lines stay where they are. */
  readonly code: string;
}

export function readSource(text: string): Source {
  const code = blank(text);
  return { code, imports: [...statements(text, code), ...calls(text, code)].sort((a, b) => a.line - b.line) };
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

function* statements(text: string, code: string): Iterable<Import> {
  for (const match of code.matchAll(/^[ \t]*(?:import|export)\b([^"'`;=()]*?)(?:\bfrom\s*)?(["'])/gm)) {
    const [whole, clause = ""] = match;
    const start = match.index + whole.length;
    if (!/^\s*$/.test(clause) && !/from\s*["']$/.test(whole)) continue;
    const end = code.indexOf(match[2] ?? '"', start);
    const typeOnly = /^\s*type\b/.test(clause);
    yield { specifier: text.slice(start, end), line: lineAt(text, start), typeOnly, names: namesOf(clause) };
  }
}

/** `import("x")`, whether it runs or only names a type. */
function* calls(text: string, code: string): Iterable<Import> {
  for (const match of code.matchAll(/\bimport\s*\(\s*(["'])/g)) {
    const start = match.index + match[0].length;
    const end = code.indexOf(match[1] ?? '"', start);
    const typeOnly = /\btypeof\s*$/.test(code.slice(0, match.index));
    yield { specifier: text.slice(start, end), line: lineAt(text, start), typeOnly, names: ["*"] };
  }
}

function namesOf(clause: string): string[] {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1];
  if (braces === undefined) return ["*"];
  return braces
    .split(",")
    .map((part) =>
      part
        .trim()
        .replace(/^type\s+/, "")
        .replace(/\s+as\s.*$/s, ""),
    )
    .filter((name) => name !== "");
}

const tokens = new RegExp(
  [
    /\/\/[^\n]*/, // line comment
    /\/\*[\s\S]*?\*\//, // block comment
    /"(?:[^"\\\n]|\\[\s\S])*"/,
    /'(?:[^'\\\n]|\\[\s\S])*'/,
    /`(?:[^`\\]|\\[\s\S])*`/,
    /(?<=[(,=:[!&|?{};+\n>]\s*|\breturn\s+)\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/, // regular expression
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Keeps delimiters, line breaks and what stands in `${…}` of a template, which is code. */
function blank(text: string): string {
  return text.replace(tokens, (token) => {
    if (token.startsWith("`")) return blankTemplate(token);
    const inside = token.slice(1, -1).replace(/[^\n]/g, " ");
    return token.startsWith("/") ? token.replace(/[^\n]/g, " ") : `${token[0]}${inside}${token.at(-1)}`;
  });
}

const blankTemplate = (token: string): string =>
  token.replace(/\$\{[^`]*?\}|[^\n]/g, (part) => (part.startsWith("${") && part.length > 3 ? part : part === "`" ? part : " "));
