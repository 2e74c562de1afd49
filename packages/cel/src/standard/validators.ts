/** What Kubernetes checks beyond types: that literal arguments mean something, and that literal lists and maps are of one type. */

import type { AstValidator } from "../environment/library.ts";
import { type CheckedAst, children, type Expr, type Literal } from "../syntax/ast.ts";
import { type CelType, dynType } from "../types/type.ts";
import { sameType, showType } from "../types/type-text.ts";
import { nanosPerSecond, timestamp } from "../values/range.ts";
import { parseDuration, parseTimestamp } from "../values/time-text.ts";
import { CelError } from "../values/value.ts";
import { compilePattern } from "./string.ts";

/** Whether the first argument of a function, if it is a literal, means something. */
const literalArguments: Readonly<Record<string, (value: Literal["value"]) => boolean>> = {
  __proto__: null as never,
  duration: (value) => typeof value === "string" && parseDuration(value) !== undefined,
  timestamp: (value) => {
    const nanos = typeof value === "string" ? parseTimestamp(value) : typeof value === "bigint" ? value * nanosPerSecond : undefined;
    return nanos !== undefined && succeeds(() => timestamp(nanos));
  },
  matches: (value) => typeof value !== "string" || succeeds(() => compilePattern(value)),
};

export const literalValidators: readonly AstValidator[] = [
  ({ expr }, report) =>
    visit(expr, (call) => {
      const [first] = call.kind === "call" ? call.args : [];
      if (call.kind !== "call" || first?.kind !== "literal" || !Object.hasOwn(literalArguments, call.function)) return undefined;
      if (literalArguments[call.function]?.(first.value) === false) report(first.id, `invalid ${call.function} argument`);
      return undefined;
    }),
];

/** No mixed lists and maps, except in what a string is formatted with. */
export const homogeneousLiterals: AstValidator = (ast, report) => {
  visit(ast.expr, (expr) => {
    if (expr.kind === "call" && expr.function === "format") return "skip";
    const mismatch = (group: readonly Part[], all: boolean) => reportMixed(ast, group, all, report);
    if (expr.kind === "list")
      mismatch(
        expr.elements.map((node, index) => ({ node, optional: expr.optional.has(index) })),
        false,
      );
    if (expr.kind === "map") {
      mismatch(
        expr.entries.map(({ key }) => ({ node: key, optional: false })),
        true,
      );
      mismatch(
        expr.entries.map(({ value, optional }) => ({ node: value, optional })),
        true,
      );
    }
    return undefined;
  });
};

interface Part {
  readonly node: Expr;
  readonly optional: boolean;
}

function reportMixed(ast: CheckedAst, group: readonly Part[], all: boolean, report: (exprId: number, message: string) => void): void {
  const [first, ...rest] = group.map((part) => ({ id: part.node.id, type: partType(ast, part) }));
  for (const { id, type } of rest) {
    if (!first || sameType(first.type, type)) continue;
    report(id, `expected type '${showType(first.type)}' but found '${showType(type)}'`);
    if (!all) return;
  }
}

function partType(ast: CheckedAst, { node, optional }: Part): CelType {
  const type = ast.types.get(node.id) ?? dynType;
  return optional && type.kind === "opaque" ? (type.parameters[0] ?? dynType) : type;
}

function visit(expr: Expr, onExpr: (expr: Expr) => "skip" | undefined): void {
  if (onExpr(expr) === "skip") return;
  for (const child of children(expr)) visit(child, onExpr);
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}
