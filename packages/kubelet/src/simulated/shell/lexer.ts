/** Words and operators of a shell's line. @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html */

/** Of a word: text that stands as it is, or what is put in its place. */
export type Part =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "variable"; readonly name: string; readonly otherwise: string | undefined; readonly quoted: boolean }
  | { readonly kind: "output"; readonly script: string; readonly quoted: boolean };

export type Token =
  | { readonly kind: "word"; readonly parts: readonly Part[] }
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "redirect"; readonly descriptor: "1" | "2" | "both" | "0"; readonly operator: string };

/** More lines belong to it. */
export class Unfinished extends Error {
  constructor() {
    super("unexpected end of file");
    this.name = "Unfinished";
  }
}

const operators = ["&&", "||", ";;", ";", "|", "(", ")", "\n", "&"];
const redirection = /^(?:&>>?|[012]?(?:>>|>&|>|<))/;

/** @throws Unfinished */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const [gap = ""] = /^(?:[ \t\r]|\\\n)+/.exec(rest) ?? [];
    const [comment = ""] = gap === "" ? (/^#[^\n]*/.exec(rest) ?? []) : [];
    const [redirect = ""] = redirection.exec(rest) ?? [];
    const operator = operators.find((one) => rest.startsWith(one)) ?? "";
    if (gap + comment !== "") at += gap.length + comment.length;
    else if (redirect !== "") {
      tokens.push(redirectOf(redirect));
      at += redirect.length;
    } else if (operator !== "") {
      tokens.push({ kind: "operator", text: operator });
      at += operator.length;
    } else {
      const word = wordAt(text, at);
      tokens.push({ kind: "word", parts: word.parts });
      at = word.end;
    }
  }
  return tokens;
}

function redirectOf(text: string): Token {
  const operator = text.replace(/^[012&]/, "");
  if (text.startsWith("&")) return { kind: "redirect", descriptor: "both", operator };
  const [digit] = /^[012]/.exec(text) ?? [];
  const descriptor = digit === "0" || operator === "<" ? "0" : digit === "2" ? "2" : "1";
  return { kind: "redirect", descriptor, operator };
}

function wordAt(text: string, start: number): { readonly parts: readonly Part[]; readonly end: number } {
  const parts: Part[] = [];
  let at = start;
  while (at < text.length && !/[\s;&|()<>]/.test(text[at] ?? "")) {
    const character = text[at] ?? "";
    if (character === "'") {
      const end = endOf(text, "'", at + 1);
      parts.push({ kind: "text", text: text.slice(at + 1, end), quoted: true });
      at = end + 1;
    } else if (character === '"') {
      at = inDoubleQuotes(text, at + 1, parts);
    } else if (character === "\\") {
      if (at + 1 >= text.length) throw new Unfinished();
      parts.push({ kind: "text", text: text[at + 1] ?? "", quoted: true });
      at += 2;
    } else at = expansionOr(text, at, false, parts);
  }
  return { parts, end: at };
}

function inDoubleQuotes(text: string, start: number, parts: Part[]): number {
  parts.push({ kind: "text", text: "", quoted: true });
  for (let at = start; ; ) {
    if (at >= text.length) throw new Unfinished();
    if (text[at] === '"') return at + 1;
    const [, escaped] = /^\\(["\\$`])/.exec(text.slice(at, at + 2)) ?? [];
    if (escaped === undefined) at = expansionOr(text, at, true, parts);
    else {
      parts.push({ kind: "text", text: escaped, quoted: true });
      at += 2;
    }
  }
}

/** What begins with a dollar, or one character. */
function expansionOr(text: string, at: number, quoted: boolean, parts: Part[]): number {
  const rest = text.slice(at);
  if (rest.startsWith("$(") || rest.startsWith("`")) {
    const isTick = rest.startsWith("`");
    const end = isTick ? endOf(text, "`", at + 1) : closingOf(text, at + 1);
    parts.push({ kind: "output", script: text.slice(at + (isTick ? 1 : 2), end), quoted });
    return end + 1;
  }
  const braced = /^\$\{([A-Za-z_]\w*|[0-9@*#?$])(?::?-([^}]*))?\}/.exec(rest);
  const plain = /^\$([A-Za-z_]\w*|[0-9@*#?$])/.exec(rest);
  const found = braced ?? plain;
  if (found !== null) {
    parts.push({ kind: "variable", name: found[1] ?? "", otherwise: found[2], quoted });
    return at + found[0].length;
  }
  parts.push({ kind: "text", text: text[at] ?? "", quoted });
  return at + 1;
}

function endOf(text: string, what: string, from: number): number {
  const end = text.indexOf(what, from);
  if (end < 0) throw new Unfinished();
  return end;
}

/** Of the bracket at `from`. */
function closingOf(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") at = endOf(text, "'", at + 1);
    else if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  throw new Unfinished();
}
