/**
 * Gives every node its type, finds what names stand for and which overloads a call may mean.
 * Types follow cel-go's checker, and so do the sentences about what is wrong.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking
 */

import { type Declarations, type Found, findIdent } from "../environment/declarations.ts";
import type { CheckedAst, Expr, Ident, Literal, MacroCalls, Reference } from "../syntax/ast.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  intType,
  nullType,
  stringType,
  typeParam,
  uintType,
} from "../types/type.ts";
import { showType } from "../types/type-text.ts";
import { assign, moreGeneralType, substitute } from "../types/unify.ts";
import { checkCall } from "./check-call.ts";
import { checkComprehension } from "./check-comprehension.ts";
import type { CheckContext, Report } from "./check-context.ts";
import { checkList, checkMap, checkStruct } from "./check-literal.ts";
import { checkSelect } from "./check-select.ts";

export function check(expr: Expr, macroCalls: MacroCalls, declarations: Declarations, report: Report): CheckedAst {
  const checker = new Checker(declarations, report);
  const checked = checker.check(expr);
  return { expr: checked, types: checker.finalTypes(), references: checker.references, macroCalls };
}

class Checker implements CheckContext {
  readonly declarations: Declarations;
  readonly report: Report;
  readonly references = new Map<number, Reference>();
  readonly #types = new Map<number, CelType>();
  readonly #substitutions = new Map<string, CelType>();
  #locals: ReadonlyMap<string, CelType> = new Map();
  #typeVariables = 0;

  constructor(declarations: Declarations, report: Report) {
    this.declarations = declarations;
    this.report = report;
  }

  check(expr: Expr): Expr {
    switch (expr.kind) {
      case "literal":
        return this.typed(expr, literalType(expr));
      case "ident":
        return this.#checkIdent(expr);
      case "select":
        return checkSelect(this, expr);
      case "call":
        return checkCall(this, expr);
      case "list":
        return checkList(this, expr);
      case "map":
        return checkMap(this, expr);
      case "struct":
        return checkStruct(this, expr);
      case "comprehension":
        return checkComprehension(this, expr);
    }
  }

  finalTypes(): ReadonlyMap<number, CelType> {
    return new Map([...this.#types].map(([id, type]) => [id, substitute(this.#substitutions, type, true)]));
  }

  typed<E extends Expr>(expr: E, type: CelType): E {
    this.#types.set(expr.id, type);
    return expr;
  }

  typeOf(expr: Expr): CelType {
    return this.#types.get(expr.id) ?? errorType;
  }

  resolve(type: CelType, freeAsDyn = false): CelType {
    return substitute(this.#substitutions, type, freeAsDyn);
  }

  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    return assign(this.#substitutions, from, to);
  }

  expect(expr: Expr, expected: CelType): void {
    const actual = this.typeOf(expr);
    if (!this.assign([expected], [actual])) this.reportMismatch(expr.id, expected, actual);
  }

  reportMismatch(exprId: number, expected: CelType, actual: CelType): void {
    this.report(exprId, `expected type '${showType(expected)}' but found '${showType(actual)}'`);
  }

  join(previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    return this.assign([previous], [current]) ? moreGeneralType(previous, current) : dynType;
  }

  newTypeVariable(): CelType {
    return typeParam(`_var${this.#typeVariables++}`);
  }

  find(name: string): Found | undefined {
    return findIdent(this.declarations, this.#locals, name);
  }

  reportUndeclared(exprId: number, name: string): void {
    this.report(exprId, `undeclared reference to '${name}' (in container '${this.declarations.container}')`);
  }

  #checkIdent(expr: Ident): Expr {
    const found = this.find(expr.name);
    if (found) return this.refer(expr.id, found);
    this.reportUndeclared(expr.id, expr.name);
    return this.typed(expr, errorType);
  }

  refer(id: number, { name, type, value }: Found): Expr {
    this.references.set(id, { kind: "ident", name, ...(value !== undefined && { value }) });
    return this.typed({ kind: "ident", id, name }, type);
  }

  within<T>(names: ReadonlyMap<string, CelType>, part: () => T): T {
    const outer = this.#locals;
    this.#locals = new Map([...outer, ...names]);
    try {
      return part();
    } finally {
      this.#locals = outer;
    }
  }
}

function literalType({ value }: Literal): CelType {
  switch (typeof value) {
    case "boolean":
      return boolType;
    case "bigint":
      return intType;
    case "number":
      return doubleType;
    case "string":
      return stringType;
    default:
      if (value === null) return nullType;
      return value instanceof Uint8Array ? bytesType : uintType;
  }
}
