/** Selections: fields of objects, entries of maps, and names that contain dots. */
import { type Expr, qualifiedName, type Select } from "../syntax/ast.ts";
import { boolType, type CelType, dynType, errorType, optionalOf } from "../types/type.ts";
import { showType } from "../types/type-text.ts";
import { unwrapOptional } from "../types/unify.ts";
import type { CheckContext } from "./check-context.ts";

export function checkSelect(checker: CheckContext, expr: Select): Expr {
  const name = qualifiedName(expr);
  const found = name === undefined ? undefined : checker.find(name);
  if (found) return checker.refer(expr.id, found);
  const operand = checker.check(expr.operand);
  const type = selectedType(checker, expr.id, operand, expr.field, false);
  return checker.typed({ ...expr, operand }, expr.testOnly ? boolType : checker.resolve(type));
}

/** The type of `operand.field`; of an optional, it is optional again. */
export function selectedType(checker: CheckContext, id: number, operand: Expr, field: string, optional: boolean): CelType {
  const operandType = checker.resolve(checker.typeOf(operand));
  const inner = unwrapOptional(operandType);
  const type = fieldType(checker, id, inner ?? operandType, field);
  return optional || inner ? optionalOf(type) : type;
}

/** Undefined after reporting that there is no such field. */
export function findField(checker: CheckContext, id: number, typeName: string, field: string): CelType | undefined {
  const { types } = checker.declarations;
  const type = types.fieldType(typeName, field);
  if (!type) checker.report(id, types.hasType(typeName) ? `undefined field '${field}'` : `unexpected failed resolution of '${typeName}'`);
  return type;
}

function fieldType(checker: CheckContext, id: number, type: CelType, field: string): CelType {
  switch (type.kind) {
    case "map":
      return type.value;
    case "object":
      return findField(checker, id, type.name, field) ?? errorType;
    case "param":
      checker.assign([dynType], [type]);
      return dynType;
    case "dyn":
    case "error":
      return dynType;
    default:
      checker.report(id, `type '${showType(type)}' does not support field selection`);
      return dynType;
  }
}
