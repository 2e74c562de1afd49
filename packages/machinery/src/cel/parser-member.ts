/** The parser's lower half: selections, calls and indexes, and the primary expressions that they start from. */
import { type Expr, type ListExpr, type MapEntry, operators, type StructField } from "./ast.ts";
import { showText, type Token } from "./lexer.ts";
import { LiteralError, parseBytesLiteral, parseDoubleLiteral, parseIntLiteral, parseStringLiteral, parseUintLiteral } from "./literal.ts";
import type { ParserState } from "./parser.ts";
import { expressionStart, SyntaxProblem } from "./token-stream.ts";
import type { CelUint } from "./value.ts";

const reserved: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

/** What may come after a whole expression. */
const afterExpression: readonly Token["type"][] = [
  ...(["eof", ")", "]", "}", ",", ":", "?", ".", "[", "==", "!=", "<", "<=", ">", ">=", "in"] as const),
  ...(["&&", "||", "+", "-", "*", "/", "%"] as const),
];

export function createMemberParser(state: ParserState): () => Expr {
  const { tokens, context, expression } = state;

  function member(): Expr {
    let operand = primary();
    for (let links = 1; ; links++) {
      const mark = tokens.peek().type;
      if (mark !== "." && mark !== "[") return operand;
      state.checkChain(links);
      operand = mark === "." ? select(operand) : index(operand);
    }
  }

  function select(operand: Expr): Expr {
    const dot = tokens.next();
    if (tokens.take("?")) {
      const id = context.newId(dot.start);
      const name = tokens.expect(["ident", "escaped"]);
      const field = context.literal(name.start, fieldName(name));
      return { kind: "call", id, function: operators.optionalSelect, target: undefined, args: [operand, field] };
    }
    const name = tokens.take("ident", "escaped") ?? failAfterDot();
    const open = name.type === "ident" ? tokens.take("(") : undefined;
    if (!open) return { kind: "select", id: context.newId(dot.start), operand, field: fieldName(name), testOnly: false };
    const id = context.newId(open.start);
    return context.call(id, name.text, operand, callArguments());
  }

  function failAfterDot(): never {
    const { type, text, start } = tokens.peek();
    if (type === "true" || type === "false" || type === "null")
      throw new SyntaxProblem(start, `mismatched input '${text}' expecting IDENTIFIER`);
    throw new SyntaxProblem(start, `no viable alternative at input '.${type === "eof" ? "" : showText(text)}'`);
  }

  function fieldName(token: Token): string {
    if (token.type === "ident") return token.text;
    if (!state.escapedFields) context.report(token.start, "unsupported syntax: '`'");
    return token.text.slice(1, -1);
  }

  function index(operand: Expr): Expr {
    const open = tokens.next();
    const id = context.newId(open.start);
    const name = tokens.take("?") ? operators.optionalIndex : operators.index;
    if (name === operators.index && !expressionStart.includes(tokens.peek().type)) tokens.recover([...expressionStart, "?"]);
    const key = expression();
    tokens.expect(["]"], afterExpression);
    return context.call(id, name, undefined, [operand, key]);
  }

  function callArguments(): readonly Expr[] {
    const args: Expr[] = [];
    if (tokens.take(")")) return args;
    if (!expressionStart.includes(tokens.peek().type)) tokens.recover([...expressionStart, ")"]);
    do args.push(expression());
    while (tokens.take(","));
    tokens.expect([")"], afterExpression);
    return args;
  }

  function primary(): Expr {
    const token = tokens.peek();
    switch (token.type) {
      case "(":
        return parenthesized();
      case "[":
        return list();
      case "{":
        return map();
      case ".":
      case "ident":
        return name();
      default:
        return literal();
    }
  }

  function parenthesized(): Expr {
    tokens.next();
    const inner = expression();
    tokens.expect([")"], afterExpression);
    return inner;
  }

  /** Items between brackets, with a comma after the last one if one likes. */
  function items(close: "]" | "}", start: readonly Token["type"][], item: () => void): void {
    if (!tokens.take(",")) {
      if (tokens.take(close)) return;
      if (!start.includes(tokens.peek().type)) tokens.recover([...start, close, ","]);
      do {
        item();
        if (!tokens.take(",")) {
          tokens.expect([close, ","]);
          return;
        }
      } while (start.includes(tokens.peek().type));
    }
    tokens.expect([close], afterExpression);
  }

  function list(): ListExpr {
    const id = context.newId(tokens.next().start);
    const elements: Expr[] = [];
    const optional = new Set<number>();
    items("]", [...expressionStart, "?"], () => {
      if (tokens.take("?")) optional.add(elements.length);
      elements.push(expression());
    });
    return { kind: "list", id, elements, optional };
  }

  function map(): Expr {
    const id = context.newId(tokens.next().start);
    const entries: MapEntry[] = [];
    items("}", [...expressionStart, "?"], () => {
      const optional = tokens.take("?") !== undefined;
      const key = expression();
      const entryId = context.newId(tokens.expect([":"], expressionStart).start);
      entries.push({ id: entryId, key, value: expression(), optional });
    });
    return { kind: "map", id, entries };
  }

  function name(): Expr {
    const dot = tokens.take(".");
    const first = tokens.take("ident") ?? failAfterDot();
    const prefix = dot ? "." : "";
    const braceAhead = aheadToBrace();
    if (braceAhead !== undefined) return message(prefix + first.text, braceAhead);
    const open = tokens.take("(");
    const args = open && callArguments();
    if (reserved.has(first.text)) return context.error(dot?.start ?? first.start, `reserved identifier: ${first.text}`);
    if (!open) return { kind: "ident", id: context.newId(first.start), name: prefix + first.text };
    return context.call(context.newId(open.start), prefix + first.text, undefined, args ?? []);
  }

  /** How many tokens of `.b.C` come before a brace; undefined when no brace follows. */
  function aheadToBrace(): number | undefined {
    let ahead = 0;
    while (tokens.peek(ahead).type === "." && tokens.peek(ahead + 1).type === "ident") ahead += 2;
    return tokens.peek(ahead).type === "{" ? ahead : undefined;
  }

  function message(start: string, ahead: number): Expr {
    let typeName = start;
    for (let i = 0; i < ahead; i++) typeName += tokens.next().text;
    const id = context.newId(tokens.next().start);
    const fields: StructField[] = [];
    items("}", ["?", "ident", "escaped"], () => {
      const optional = tokens.take("?") !== undefined;
      const field = tokens.expect(["ident", "escaped"]);
      const fieldId = context.newId(tokens.expect([":"], expressionStart).start);
      fields.push({ id: fieldId, name: fieldName(field), value: expression(), optional });
    });
    return { kind: "struct", id, typeName, fields };
  }

  function literal(): Expr {
    const { start } = tokens.peek();
    const sign = tokens.peek().type === "-" && /^(?:int|double)$/.test(tokens.peek(1).type) ? "-" : "";
    if (sign) tokens.next();
    const token = tokens.peek();
    if (token.type === "-" || token.type === "!") failAtSign(token);
    if (!expressionStart.includes(token.type)) {
      tokens.recover(expressionStart);
      return primary();
    }
    tokens.next();
    try {
      const value = literalValue(token, sign);
      return value === undefined ? context.error(start, `invalid ${token.type} literal`) : context.literal(start, value);
    } catch (error) {
      if (error instanceof LiteralError) return context.error(start, error.message);
      throw error;
    }
  }

  function failAtSign(token: Token): never {
    const offender = token.type === "-" ? tokens.peek(1) : token;
    const shown = offender.type === "eof" ? "" : showText(offender.text);
    throw new SyntaxProblem(offender.start, `no viable alternative at input '-${shown}'`);
  }

  return member;
}

function literalValue({ type, text }: Token, sign: "" | "-"): null | boolean | bigint | number | string | Uint8Array | CelUint | undefined {
  switch (type) {
    case "true":
      return true;
    case "false":
      return false;
    case "null":
      return null;
    case "int":
      return parseIntLiteral(text, sign);
    case "uint":
      return parseUintLiteral(text);
    case "double":
      return parseDoubleLiteral(text, sign);
    case "string":
      return parseStringLiteral(text);
    case "bytes":
      return parseBytesLiteral(text);
    default:
      throw new RangeError(`${type} is no literal`);
  }
}
