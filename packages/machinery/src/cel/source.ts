/** Positions in an expression's text, and the way problems are shown there. Offsets and columns count code points, from 0. */

export interface Issue {
  /** From 1. */
  readonly line: number;
  /** From 0; one less than the column that is printed. */
  readonly column: number;
  readonly message: string;
  /** The node at fault, when there is one. */
  readonly exprId?: number;
}

export interface Source {
  readonly text: string;
  readonly codePoints: readonly string[];
  locate(offset: number): { readonly line: number; readonly column: number };
  /** All issues in the order of their positions, each with its line and an arrow. */
  show(issues: readonly Issue[]): string;
}

const mostShown = 100;
const longestLine = 16_384;

export function createSource(text: string): Source {
  const codePoints = Array.from(text);
  const lineStarts = [0];
  codePoints.forEach((char, index) => {
    if (char === "\n") lineStarts.push(index + 1);
  });
  const lineOf = (line: number) => codePoints.slice(lineStarts[line - 1], lineStarts[line] && lineStarts[line] - 1);
  return {
    text,
    codePoints,
    locate: (offset) => {
      let line = 1;
      while ((lineStarts[line] ?? Infinity) <= offset) line++;
      return { line, column: offset - (lineStarts[line - 1] ?? 0) };
    },
    show: (issues) => showIssues(issues, lineOf),
  };
}

function showIssues(issues: readonly Issue[], lineOf: (line: number) => readonly string[]): string {
  const ordered = issues.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const shown = ordered.slice(0, mostShown).map((issue) => showIssue(issue, lineOf(issue.line)));
  if (issues.length > mostShown) shown.push(`${issues.length - mostShown} more errors were truncated`);
  return shown.join("\n");
}

function showIssue({ line, column, message }: Issue, chars: readonly string[]): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  if (chars.length > longestLine) return head;
  const snippet = chars.map((char) => (char === "\t" ? " " : char));
  const dots = snippet.slice(0, column).map((char) => (isWide(char) ? "．" : "."));
  const arrow = isWide(snippet[column] ?? "") ? "＾" : "^";
  return `${head}\n | ${snippet.join("")}\n | ${dots.join("")}${arrow}`;
}

const isWide = (char: string) => (char.codePointAt(0) ?? 0) > 0x7f;
