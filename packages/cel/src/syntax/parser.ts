/**
 * Tokens into expressions: the levels of precedence, from the ternary down to unary operators.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */
import { type Expr, operators } from "./ast.ts";
import { type Token, tokenize } from "./lexer.ts";
import type { Limits } from "./limits.ts";
import type { Macro } from "./macro.ts";
import { LimitProblem, ParseContext } from "./parse-context.ts";
import { createMemberParser } from "./parser-member.ts";
import type { ParserState } from "./parser-state.ts";
import { maxReportedErrors, nowhere, type Source } from "./source.ts";
import { expressionStart, failBetween, SyntaxProblem, TokenStream } from "./token-stream.ts";

export interface ParserOptions {
  readonly macros: ReadonlyMap<string, Macro>;
  readonly limits: Limits;
  readonly escapedFields: boolean;
}

export interface Parsed {
  readonly expr: Expr;
  /** With issues if anything is wrong; `expr` is of no use then. */
  readonly context: ParseContext;
}

const relations: Partial<Record<Token["type"], string>> = {
  "<": operators.less,
  "<=": operators.lessEquals,
  ">": operators.greater,
  ">=": operators.greaterEquals,
  "==": operators.equals,
  "!=": operators.notEquals,
  in: operators.in,
};
const sums: Partial<Record<Token["type"], string>> = { "+": operators.add, "-": operators.subtract };
const products: Partial<Record<Token["type"], string>> = { "*": operators.multiply, "/": operators.divide, "%": operators.modulo };

export function parse(source: Source, options: ParserOptions): Parsed {
  const context = new ParseContext(source, options.macros, options.limits.nodes);
  const size = source.text.length;
  const failed: Expr = { kind: "literal", id: 0, value: null };
  if (size > options.limits.sourceLength && Array.from(source.text).length > options.limits.sourceLength) {
    const message = `expression code point size exceeds limit: size: ${Array.from(source.text).length}, limit ${options.limits.sourceLength}`;
    context.issues.push({ ...nowhere, message });
    return { expr: failed, context };
  }
  const report = (offset: number, message: string) => {
    if (context.issues.length >= maxReportedErrors) throw new SyntaxProblem(offset, `More than ${maxReportedErrors} syntax errors`);
    context.report(offset, message);
  };
  try {
    const tokens = new TokenStream(tokenize(source.text, report), report);
    const expr = createParser({ tokens, context, escapedFields: options.escapedFields }, options.limits)();
    tokens.expect(["eof"]);
    return { expr, context };
  } catch (error) {
    if (error instanceof SyntaxProblem) context.report(error.offset, error.message);
    else if (error instanceof LimitProblem) context.issues.push({ ...nowhere, message: error.message });
    else throw error;
    return { expr: failed, context };
  }
}

function createParser(parts: Pick<ParserState, "tokens" | "context" | "escapedFields">, limits: Limits): () => Expr {
  const { tokens, context } = parts;
  let depth = 0;
  const checkChain = (links: number) => {
    if (depth - 1 + links > limits.nesting) throw new LimitProblem("max recursion depth exceeded");
  };
  const nested = <T>(parsePart: () => T): T => {
    if (depth >= limits.nesting) throw new LimitProblem(`expression recursion limit exceeded: ${limits.nesting}`);
    depth++;
    try {
      return parsePart();
    } finally {
      depth--;
    }
  };

  function ternary(): Expr {
    const condition = logical("||", operators.or, () => logical("&&", operators.and, relation));
    const mark = tokens.take("?");
    if (!mark) return condition;
    const id = context.newId(mark.start);
    const yes = tokens.until([":"], () => logical("||", operators.or, () => logical("&&", operators.and, relation)));
    tokens.expect([":"], expressionStart);
    return context.call(id, operators.conditional, undefined, [condition, yes, expression()]);
  }

  function logical(mark: "||" | "&&", name: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const ids: number[] = [];
    for (let op = tokens.take(mark); op; op = tokens.take(mark)) {
      terms.push(operand());
      ids.push(context.newId(op.start));
    }
    return balance(terms, ids, (id, left, right) => context.call(id, name, undefined, [left, right]));
  }

  function binary(names: Partial<Record<Token["type"], string>>, operand: () => Expr): Expr {
    let left = operand();
    for (let links = 1; ; links++) {
      const name = names[tokens.peek().type];
      if (name === undefined) return left;
      checkChain(links);
      const id = context.newId(tokens.next().start);
      left = context.call(id, name, undefined, [left, operand()]);
    }
  }

  const relation = () => binary(relations, () => binary(sums, () => binary(products, unary)));

  function unary(): Expr {
    if (!expressionStart.includes(tokens.peek().type)) tokens.recover(expressionStart);
    const first = tokens.peek();
    const isSign = first.type === "-" && !/^(?:int|double)$/.test(tokens.peek(1).type);
    if (first.type !== "!" && !isSign) return member();
    let count = 0;
    let last = first;
    for (let sign = tokens.take(first.type); sign; sign = tokens.take(first.type)) {
      last = sign;
      count++;
    }
    const next = tokens.peek();
    if (first.type === "-" && (next.type === "!" || !expressionStart.includes(next.type))) failBetween(context.source.text, last, next);
    if (count % 2 === 0) return member();
    const id = context.newId(first.start);
    return context.call(id, first.type === "!" ? operators.not : operators.negate, undefined, [member()]);
  }

  const expression = () => nested(ternary);
  const member = createMemberParser({ ...parts, expression, nested, checkChain });
  return expression;
}

/** Halves a chain of equal operators again and again, so that a long one makes a shallow tree. */
function balance(terms: readonly Expr[], ids: readonly number[], join: (id: number, left: Expr, right: Expr) => Expr): Expr {
  const build = (from: number, to: number): Expr => {
    if (from > to) return term(terms, from);
    const middle = Math.floor((from + to + 1) / 2);
    const left = build(from, middle - 1);
    const right = build(middle + 1, to);
    return join(ids[middle] ?? 0, left, right);
  };
  return build(0, ids.length - 1);
}

function term(terms: readonly Expr[], index: number): Expr {
  const found = terms[index];
  if (!found) throw new RangeError(`no term ${index}`);
  return found;
}
