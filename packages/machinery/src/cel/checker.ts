/**
 * Gives every node its type, finds what names stand for and which overloads a call may mean.
 * Types follow cel-go's checker, and so do the sentences about what is wrong.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking
 */
import {
  type CheckedAst,
  type Comprehension,
  type Expr,
  type Ident,
  type Literal,
  type MacroCalls,
  qualifiedName,
  type Reference,
  type Select,
} from "./ast.ts";
import { checkCall } from "./checker-call.ts";
import { checkList, checkMap, checkStruct } from "./checker-literal.ts";
import { type Declarations, type Found, findIdent } from "./declarations.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  intType,
  nullType,
  optionalOf,
  stringType,
  typeParam,
  uintType,
} from "./type.ts";
import { showType } from "./type-text.ts";
import { assign, mostGeneral, type Substitutions, substitute } from "./unify.ts";

export type Report = (exprId: number, message: string) => void;

export function check(expr: Expr, macroCalls: MacroCalls, declarations: Declarations, report: Report): CheckedAst {
  const checker = new Checker(declarations, report);
  const checked = checker.check(expr);
  return { expr: checked, types: checker.finalTypes(), references: checker.references, macroCalls };
}

export class Checker {
  readonly declarations: Declarations;
  readonly report: Report;
  readonly references = new Map<number, Reference>();
  readonly #types = new Map<number, CelType>();
  #substitutions: Substitutions = new Map();
  #locals: ReadonlyMap<string, CelType> = new Map();
  #typeVariables = 0;

  constructor(declarations: Declarations, report: Report) {
    this.declarations = declarations;
    this.report = report;
  }

  /** The expression with its names resolved. Its type is then known by its id. */
  check(expr: Expr): Expr {
    switch (expr.kind) {
      case "literal":
        return this.typed(expr, literalType(expr));
      case "ident":
        return this.#checkIdent(expr);
      case "select":
        return this.#checkSelect(expr);
      case "call":
        return checkCall(this, expr);
      case "list":
        return checkList(this, expr);
      case "map":
        return checkMap(this, expr);
      case "struct":
        return checkStruct(this, expr);
      case "comprehension":
        return this.#checkComprehension(expr);
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

  /** With what is known so far. @param freeAsDyn as in messages */
  resolve(type: CelType, freeAsDyn = false): CelType {
    return substitute(this.#substitutions, type, freeAsDyn);
  }

  /** Whether types may be used as others; if so, what their parameters stand for is remembered. */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    const found = assign(this.#substitutions, from, to);
    if (found) this.#substitutions = found;
    return found !== undefined;
  }

  expect(expr: Expr, expected: CelType): void {
    const actual = this.typeOf(expr);
    if (!this.assign([expected], [actual])) this.reportMismatch(expr.id, expected, actual);
  }

  reportMismatch(exprId: number, expected: CelType, actual: CelType): void {
    this.report(exprId, `expected type '${showType(expected)}' but found '${showType(actual)}'`);
  }

  /** What a list's items or a map's values have in common; `dyn` when they have nothing. */
  join(previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    return this.assign([previous], [current]) ? mostGeneral(previous, current) : dynType;
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
    if (found) return this.#refer(expr.id, found);
    this.reportUndeclared(expr.id, expr.name);
    return this.typed(expr, errorType);
  }

  #refer(id: number, { name, type, value }: Found): Expr {
    this.references.set(id, { kind: "ident", name, ...(value !== undefined && { value }) });
    return this.typed({ kind: "ident", id, name }, type);
  }

  #checkSelect(expr: Select): Expr {
    const name = qualifiedName(expr);
    const found = name === undefined ? undefined : this.find(name);
    if (found) return this.#refer(expr.id, found);
    const operand = this.check(expr.operand);
    const type = this.selectedType(expr.id, operand, expr.field, false);
    return this.typed({ ...expr, operand }, expr.testOnly ? boolType : this.resolve(type));
  }

  /** The type of `operand.field`; of an optional, it is optional again. */
  selectedType(id: number, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = this.resolve(this.typeOf(operand));
    const inner = unwrapOptional(operandType);
    const type = this.#fieldType(id, inner ?? operandType, field);
    return optional || inner ? optionalOf(type) : type;
  }

  #fieldType(id: number, type: CelType, field: string): CelType {
    switch (type.kind) {
      case "map":
        return type.value;
      case "object":
        return this.lookUpField(id, type.name, field) ?? errorType;
      case "param":
        this.assign([dynType], [type]);
        return dynType;
      case "dyn":
      case "error":
        return dynType;
      default:
        this.report(id, `type '${showType(type)}' does not support field selection`);
        return dynType;
    }
  }

  lookUpField(id: number, typeName: string, field: string): CelType | undefined {
    const { types } = this.declarations;
    const type = types.fieldType(typeName, field);
    if (!type) this.report(id, types.hasType(typeName) ? `undefined field '${field}'` : `unexpected failed resolution of '${typeName}'`);
    return type;
  }

  #checkComprehension(expr: Comprehension): Expr {
    const iterRange = this.check(expr.iterRange);
    const accuInit = this.check(expr.accuInit);
    const [first, second] = this.#loopTypes(iterRange, expr.iterVar2 !== undefined);
    const outer = this.#locals;
    const accuType = this.typeOf(accuInit);
    const withAccu = new Map(outer).set(expr.accuVar, accuType);
    const inner = new Map(withAccu).set(expr.iterVar, first);
    if (expr.iterVar2 !== undefined) inner.set(expr.iterVar2, second);
    this.#locals = inner;
    const loopCondition = this.check(expr.loopCondition);
    this.expect(loopCondition, boolType);
    const loopStep = this.check(expr.loopStep);
    this.expect(loopStep, accuType);
    this.#locals = withAccu;
    const result = this.check(expr.result);
    this.#locals = outer;
    return this.typed({ ...expr, iterRange, accuInit, loopCondition, loopStep, result }, this.resolve(this.typeOf(result)));
  }

  /** The types of a comprehension's one or two variables. */
  #loopTypes(range: Expr, two: boolean): readonly [CelType, CelType] {
    const type = this.resolve(this.typeOf(range));
    switch (type.kind) {
      case "list":
        return two ? [intType, type.item] : [type.item, dynType];
      case "map":
        return [type.key, type.value];
      case "dyn":
      case "error":
      case "param":
        this.assign([dynType], [type]);
        return [dynType, dynType];
      default:
        this.report(range.id, `expression of type '${showType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`);
        return [errorType, errorType];
    }
  }
}

/** What an optional is of; undefined when it is none. */
export const unwrapOptional = (type: CelType): CelType | undefined =>
  type.kind === "opaque" && type.name === "optional_type" ? (type.parameters[0] ?? dynType) : undefined;

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
