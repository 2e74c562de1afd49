/**
 * Text into tokens.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */

export interface Token {
  /** Punctuation and keywords are their own type. */
  readonly type: "int" | "uint" | "double" | "string" | "bytes" | "ident" | "escaped" | "eof" | Punctuation | Keyword;
  readonly text: string;
  /** Offset of the first character. */
  readonly start: number;
}

export type Keyword = "in" | "true" | "false" | "null";

const punctuation = [..."== != <= >= && || < > [ ] { } ( ) . , - ! ? : + * / %".split(" ")] as readonly string[] as readonly Punctuation[];
export type Punctuation =
  | ("==" | "!=" | "<=" | ">=" | "&&" | "||" | "<" | ">" | "[" | "]" | "{" | "}" | "(" | ")")
  | ("." | "," | "-" | "!" | "?" | ":" | "+" | "*" | "/" | "%");
const keywords: ReadonlySet<string> = new Set<Keyword>(["in", "true", "false", "null"]);

const blank = /(?:[\t \r\n\f]|\/\/[^\n]*(?![^\n]))+/y;
const escaped = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7][0-7]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})`;
const cooked = `"""(?:${escaped}|[^\\\\])*?"""|'''(?:${escaped}|[^\\\\])*?'''|"(?:${escaped}|[^\\\\"\\n\\r])*"|'(?:${escaped}|[^\\\\'\\n\\r])*'`;
const raw = String.raw`[rR](?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`;
/** In the order in which they are tried: of two that match, the first is the longer one. */
const patterns: readonly (readonly [Token["type"], RegExp])[] = [
  ["double", /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ["uint", /(?:0x[\da-fA-F]+|\d+)[uU]/y],
  ["int", /0x[\da-fA-F]+|\d+/y],
  ["string", new RegExp(`${cooked}|${raw}`, "y")],
  ["bytes", new RegExp(`[bB](?:${cooked}|${raw})`, "y")],
  ["ident", /[A-Za-z_]\w*/y],
  ["escaped", /`[\w.\-/ ]+`/y],
];
/** As far as a token went that did not end as it should, with the character where it stopped. */
const broken = new RegExp(
  String.raw`"(?:${escaped}|[^\\"\n\r])*(?:\\(?:[0-3][0-7]?|[xX][\da-fA-F]?|u[\da-fA-F]*|U[\da-fA-F]*)?)?[\s\S]?|` +
    String.raw`'(?:${escaped}|[^\\'\n\r])*(?:\\(?:[0-3][0-7]?|[xX][\da-fA-F]?|u[\da-fA-F]*|U[\da-fA-F]*)?)?[\s\S]?|` +
    String.raw`\x60[\w.\-/ ]*[\s\S]?|[=&|][\s\S]?|[\s\S]`,
  "uy",
);

/**
 * All tokens, the last being `eof`; what is none is reported and left out.
 * @param report with the offset of the broken token
 */
export function tokenize(text: string, report: (offset: number, message: string) => void): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (true) {
    at += matchAt(blank, text, at).length;
    if (at >= text.length) break;
    const token = readToken(text, at);
    if (token === undefined) {
      const skipped = matchAt(broken, text, at);
      report(at, `Syntax error: token recognition error at: '${skipped}'`);
      at += skipped.length;
      continue;
    }
    tokens.push(token);
    at += token.text.length;
  }
  tokens.push({ type: "eof", text: "<EOF>", start: text.length });
  return tokens;
}

/** A token's text within a message. */
export const showText = (text: string): string => text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");

function readToken(text: string, start: number): Token | undefined {
  for (const [type, pattern] of patterns) {
    const found = matchAt(pattern, text, start);
    if (found !== "") return { type: keywords.has(found) ? (found as Keyword) : type, text: found, start };
  }
  const mark = punctuation.find((each) => text.startsWith(each, start));
  return mark && { type: mark, text: mark, start };
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
