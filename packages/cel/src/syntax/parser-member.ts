/** Selections, calls and indexes. */
import { type Expr, operators } from "./ast.ts";
import type { Token } from "./lexer.ts";
import { createPrimaryParser } from "./parser-primary.ts";
import type { ParserState } from "./parser-state.ts";
import { expressionStart, failBetween, SyntaxProblem } from "./token-stream.ts";

export function createMemberParser(state: ParserState): () => Expr {
  const { tokens, context, expression } = state;
  const primary = createPrimaryParser(state, { callArguments, fieldName, failAfterDot });

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
    const name = tokens.take("ident", "escaped") ?? failAfterDot(dot);
    const open = name.type === "ident" ? tokens.take("(") : undefined;
    if (!open) return { kind: "select", id: context.newId(dot.start), operand, field: fieldName(name), testOnly: false };
    const id = context.newId(open.start);
    return context.call(id, name.text, operand, callArguments());
  }

  function failAfterDot(dot: Token): never {
    const { type, text, start } = tokens.peek();
    if (start === dot.start + 1 && (type === "true" || type === "false" || type === "null"))
      throw new SyntaxProblem(start, `mismatched input '${text}' expecting IDENTIFIER`);
    return failBetween(context.source.text, dot, tokens.peek());
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
    const key = tokens.until(["]"], expression);
    tokens.close("]");
    return context.call(id, name, undefined, [operand, key]);
  }

  function callArguments(): readonly Expr[] {
    const args: Expr[] = [];
    if (tokens.take(")")) return args;
    if (!expressionStart.includes(tokens.peek().type)) tokens.recover([...expressionStart, ")"]);
    do args.push(tokens.until([")", ","], expression));
    while (tokens.take(","));
    tokens.close(")");
    return args;
  }

  return member;
}
