/** Lists, maps and messages as they are written out. */
import type { Expr, ListExpr, MapEntry, MapExpr, StructExpr, StructField } from "../syntax/ast.ts";
import { type CelType, dynType, errorType, listOf, mapOf, optionalOf } from "../types/type.ts";
import { runtimeTypeName, showType } from "../types/type-text.ts";
import { unwrapOptional } from "../types/unify.ts";
import type { CheckContext } from "./check-context.ts";
import { findField } from "./check-select.ts";

export function checkList(checker: CheckContext, list: ListExpr): Expr {
  let item: CelType | undefined;
  const elements = list.elements.map((element, index) => {
    const checked = checker.check(element);
    item = checker.join(item, entryType(checker, checked, list.optional.has(index)));
    return checked;
  });
  return checker.typed({ ...list, elements }, listOf(item ?? checker.newTypeVariable()));
}

export function checkMap(checker: CheckContext, map: MapExpr): Expr {
  let keyType: CelType | undefined;
  let valueType: CelType | undefined;
  const entries = map.entries.map((entry): MapEntry => {
    const key = checker.check(entry.key);
    keyType = checker.join(keyType, checker.typeOf(key));
    const value = checker.check(entry.value);
    valueType = checker.join(valueType, entryType(checker, value, entry.optional));
    return { ...entry, key, value };
  });
  return checker.typed({ ...map, entries }, mapOf(keyType ?? checker.newTypeVariable(), valueType ?? checker.newTypeVariable()));
}

export function checkStruct(checker: CheckContext, struct: StructExpr): Expr {
  const found = checker.find(struct.typeName);
  if (!found) {
    checker.reportUndeclared(struct.id, struct.typeName);
    return checker.typed(struct, errorType);
  }
  checker.references.set(struct.id, { kind: "ident", name: found.name });
  const type = messageType(checker, struct.id, found.type);
  const typeName = type.kind === "object" ? type.name : found.name;
  const fields = struct.fields.map((field) => checkField(checker, typeName, field));
  return checker.typed({ ...struct, typeName, fields }, type);
}

function messageType(checker: CheckContext, id: number, type: CelType): CelType {
  if (type.kind === "error") return errorType;
  if (type.kind !== "type") {
    checker.report(id, `'${runtimeTypeName(type)}' is not a type`);
    return errorType;
  }
  if (type.of.kind === "object" || type.of.kind === "timestamp" || type.of.kind === "duration") return type.of;
  checker.report(id, `'${runtimeTypeName(type.of)}' is not a message type`);
  return errorType;
}

function checkField(checker: CheckContext, typeName: string, field: StructField): StructField {
  const value = checker.check(field.value);
  const expected = findField(checker, field.id, typeName, field.name) ?? errorType;
  const actual = entryType(checker, value, field.optional);
  if (!checker.assign([expected], [actual]))
    checker.report(
      field.id,
      `expected type of field '${field.name}' is '${showType(expected)}' but provided type is '${showType(actual)}'`,
    );
  return { ...field, value };
}

/** What a value adds to its list, map or message: with a question mark, what its optional holds. */
function entryType(checker: CheckContext, value: Expr, optional: boolean): CelType {
  const type = checker.typeOf(value);
  if (!optional) return type;
  const inner = unwrapOptional(type);
  if (!inner && type.kind !== dynType.kind) checker.reportMismatch(value.id, optionalOf(type), type);
  return inner ?? type;
}
