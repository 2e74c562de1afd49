/** Reading tokens one after another, and saying what was expected as ANTLR's parsers say it. */
import { showText, type Token } from "./lexer.ts";

export class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(`Syntax error: ${message}`);
    this.offset = offset;
  }
}

type Kind = Token["type"];

/** In the order in which messages name them. */
const shownOrder: readonly Kind[] = [
  ...(["[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "true", "false", "null"] as const),
  ...(["double", "int", "uint", "string", "bytes", "ident", "escaped", "eof"] as const),
];
const shownNames: Partial<Record<Kind, string>> = {
  double: "NUM_FLOAT",
  int: "NUM_INT",
  uint: "NUM_UINT",
  string: "STRING",
  bytes: "BYTES",
  ident: "IDENTIFIER",
  escaped: "ESC_IDENTIFIER",
  eof: "<EOF>",
};

/** What an expression can begin with. */
export const expressionStart: readonly Kind[] = [
  ...(["[", "{", "(", ".", "-", "!", "true", "false", "null", "double", "int", "uint", "string", "bytes", "ident"] as const),
];

/** What may come after an operand, wherever that is. */
const operators: readonly Kind[] = [
  ...(["?", ".", "[", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||", "+", "-", "*", "/", "%"] as const),
];

export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #report: (offset: number, message: string) => void;
  #at = 0;
  /** What ends the expression that is being read. */
  #ends: readonly Kind[] = ["eof"];

  constructor(tokens: readonly Token[], report: (offset: number, message: string) => void) {
    this.#tokens = tokens;
    this.#report = report;
  }

  /** Reads an expression that ends with one of these. */
  until<T>(ends: readonly Kind[], read: () => T): T {
    const outer = this.#ends;
    this.#ends = ends;
    const result = read();
    this.#ends = outer;
    return result;
  }

  /** What closes an operand, behind which the expression around it goes on. */
  close(kind: Kind): void {
    this.expect([kind], [...operators, ...this.#ends]);
  }

  /** The token to come, or one after it; the last one when there are no more. */
  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
    if (!token) throw new RangeError("no tokens: not even the end");
    return token;
  }

  next(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }

  /** The token to come, if it is one of these. */
  take(...kinds: Kind[]): Token | undefined {
    return kinds.includes(this.peek().type) ? this.next() : undefined;
  }

  /**
   * The token to come, which has to be one of these. One token too many or too few is reported and made good.
   * @param follow what may come after it: if one of those comes, then it is the expected one that is missing
   * @throws SyntaxProblem when there is no going on
   */
  expect(kinds: readonly Kind[], follow: readonly Kind[] = []): Token {
    if (!kinds.includes(this.peek().type)) this.recover(kinds, follow);
    return this.take(...kinds) ?? { type: kinds[0] ?? "eof", text: "", start: this.peek().start };
  }

  /** Reports that none of these comes, and leaves out a token too many. @throws SyntaxProblem when there is no going on */
  recover(kinds: readonly Kind[], follow: readonly Kind[] = []): void {
    const { type, text, start } = this.peek();
    const expected = showKinds(kinds);
    const shown = `'${showText(text)}'`;
    if (kinds.includes(this.peek(1).type) && type !== "eof") {
      this.#report(start, `Syntax error: extraneous input ${shown} expecting ${expected}`);
      this.#at++;
    } else if (kinds.length === 1 && follow.includes(type)) {
      this.#report(start, `Syntax error: missing ${expected} at ${shown}`);
    } else {
      throw new SyntaxProblem(start, `mismatched input ${shown} expecting ${expected}`);
    }
  }
}

/** Neither token is wrong by itself, but one may not follow the other. @throws SyntaxProblem */
export function failBetween(text: string, first: Token, second: Token): never {
  const end = second.type === "eof" ? text.length : second.start + second.text.length;
  throw new SyntaxProblem(second.start, `no viable alternative at input '${showText(text.slice(first.start, end))}'`);
}

function showKinds(kinds: readonly Kind[]): string {
  const names = shownOrder.filter((kind) => kinds.includes(kind)).map((kind) => shownNames[kind] ?? `'${kind}'`);
  return names.length === 1 ? names.join() : `{${names.join(", ")}}`;
}
