/** Positions in an expression's text, and the way problems are shown there. */

export interface Issue {
  /** From 1; -1 when the problem is with the whole text. */
  readonly line: number;
  /** In code points from 0: one less than the column that is printed. */
  readonly column: number;
  readonly message: string;
  /** The node at fault, when there is one. */
  readonly exprId?: number;
}

export interface Source {
  readonly text: string;
  locate(offset: number): Pick<Issue, "line" | "column">;
  /** All issues in the order of their positions, each with its line and an arrow, as cel-go prints them. */
  show(issues: readonly Issue[]): string;
}

/** The position of what concerns the whole text. */
export const nowhere: Pick<Issue, "line" | "column"> = { line: -1, column: -1 };

/** Of the issues of one expression; those beyond are only counted, and need no position. */
export const maxReportedErrors = 100;
const maxLineLength = 16_384;

export function createSource(text: string): Source {
  const lines = text === "" ? [] : text.split("\n");
  return {
    text,
    locate: (offset) => {
      if (text === "") return { line: 1, column: -1 };
      const before = text.slice(0, offset);
      return { line: before.split("\n").length, column: Array.from(before.slice(before.lastIndexOf("\n") + 1)).length };
    },
    show: (issues) => showIssues(issues, lines),
  };
}

function showIssues(issues: readonly Issue[], lines: readonly string[]): string {
  const shown = issues
    .slice(0, maxReportedErrors)
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map((issue) => showIssue(issue, lines[issue.line - 1]));
  if (issues.length > maxReportedErrors) shown.push(`${issues.length - maxReportedErrors} more errors were truncated`);
  return shown.join("\n");
}

function showIssue({ line, column, message }: Issue, text: string | undefined): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  if (text === undefined) return head;
  const snippet = Array.from(text.replaceAll("\t", " "));
  if (snippet.length > maxLineLength) return head;
  const dots = snippet.slice(0, column).map((char) => (isWide(char) ? "．" : "."));
  return `${head}\n | ${snippet.join("")}\n | ${dots.join("")}${isWide(snippet[column] ?? "") ? "＾" : "^"}`;
}

const isWide = (char: string) => (char.codePointAt(0) ?? 0) > 0x7f;
