/** Macros: calls that the parser replaces by another expression before anything is checked. */
import type { Comprehension, Expr, Literal, MapEntry } from "./ast.ts";

/**
 * A call that is replaced by other syntax when it is parsed.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros
 */
export interface Macro {
  readonly function: string;
  /** Called as `target.function(…)`. */
  readonly member: boolean;
  readonly argumentCount: number;
  /** The expression to put in the call's place; undefined when the call is no use of the macro, and stays. @throws MacroError */
  readonly expand: (make: ExprFactory, target: Expr | undefined, args: readonly Expr[]) => Expr | undefined;
}

/** The macro was meant, but an argument is wrong. */
export class MacroError extends Error {
  override readonly name = "MacroError";
  /** The node to point at. */
  readonly exprId: number;
  constructor(exprId: number, message: string) {
    super(message);
    this.exprId = exprId;
  }
}

/** Makes nodes with new ids, all at the position of the macro's call. */
export interface ExprFactory {
  /** The name of accumulators, which no expression can spell. */
  readonly accumulator: string;
  literal(value: Literal["value"]): Expr;
  ident(name: string): Expr;
  list(...elements: Expr[]): Expr;
  map(...entries: Omit<MapEntry, "id">[]): Expr;
  call(name: string, ...args: Expr[]): Expr;
  memberCall(name: string, target: Expr, ...args: Expr[]): Expr;
  /** `has(operand.field)`. */
  presenceTest(operand: Expr, field: string): Expr;
  comprehension(parts: Omit<Comprehension, "kind" | "id" | "iterVar2"> & { readonly iterVar2?: string }): Expr;
  /** The same expression with new ids, for a second use. */
  copy(expr: Expr): Expr;
}
