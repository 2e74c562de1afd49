/** What selections, calls and indexes start from: names, literals, lists, maps, messages, and expressions in parentheses. */

import type { CelUint } from "../values/value.ts";
import type { Expr, StructField } from "./ast.ts";
import type { Token } from "./lexer.ts";
import { LiteralError, parseBytesLiteral, parseDoubleLiteral, parseIntLiteral, parseStringLiteral, parseUintLiteral } from "./literal.ts";
import { createCollectionParser } from "./parser-collection.ts";
import type { ParserState } from "./parser-state.ts";
import { expressionStart, failBetween } from "./token-stream.ts";

const reserved: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

/** What the parser of members has for it. */
export interface MemberParts {
  /** From behind the opening parenthesis to the closing one. */
  callArguments(): readonly Expr[];
  fieldName(token: Token): string;
  /** @throws SyntaxProblem */
  failAfterDot(dot: Token): never;
}

export function createPrimaryParser(state: ParserState, { callArguments, fieldName, failAfterDot }: MemberParts): () => Expr {
  const { tokens, context, expression } = state;
  const { parenthesized, items, list, map } = createCollectionParser(state);

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

  function name(): Expr {
    const dot = tokens.take(".");
    const first = tokens.take("ident") ?? failAfterDot(dot ?? tokens.peek());
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
    if (token.type === "-" || token.type === "!") failBetween(context.source.text, token, tokens.peek(1));
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

  return primary;
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
