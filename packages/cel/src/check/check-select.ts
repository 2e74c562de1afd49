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
  const operandType = checker.resolve(checker.typeOf(operand));
  const field = selectedType(checker, expr.id, operandType, expr.field);
  const type = unwrapOptional(operandType) ? optionalOf(field) : field;
  return checker.typed({ ...expr, operand }, expr.testOnly ? boolType : checker.resolve(type));
}

/** The type of a field of an operand; of an optional operand, the field of what it holds. */
export const selectedType = (checker: CheckContext, id: number, operandType: CelType, field: string): CelType =>
  fieldType(checker, id, unwrapOptional(operandType) ?? operandType, field);

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
