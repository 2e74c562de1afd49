/** What the rules for the kinds of expressions need of the checker. */
import type { Declarations, Found } from "../environment/declarations.ts";
import type { Expr, Reference } from "../syntax/ast.ts";
import type { CelType } from "../types/type.ts";

export type Report = (exprId: number, message: string) => void;

export interface CheckContext {
  readonly declarations: Declarations;
  readonly report: Report;
  readonly references: Map<number, Reference>;
  /** The expression with its names resolved. Its type is then known by its id. */
  check(expr: Expr): Expr;
  /** Records the type of an expression. */
  typed<E extends Expr>(expr: E, type: CelType): E;
  typeOf(expr: Expr): CelType;
  /** With what is known so far. @param freeAsDyn as in messages */
  resolve(type: CelType, freeAsDyn?: boolean): CelType;
  /** Whether types may be used as others; if so, what their parameters stand for is remembered. */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean;
  expect(expr: Expr, expected: CelType): void;
  /** What a list's items or a map's values have in common; `dyn` when they have nothing. */
  join(previous: CelType | undefined, current: CelType): CelType;
  newTypeVariable(): CelType;
  find(name: string): Found | undefined;
  reportMismatch(exprId: number, expected: CelType, actual: CelType): void;
  reportUndeclared(exprId: number, name: string): void;
  /** A name in its full length, as what it was found to be. */
  refer(id: number, found: Found): Expr;
  /** Checks with other names in scope. */
  within<T>(names: ReadonlyMap<string, CelType>, part: () => T): T;
}
