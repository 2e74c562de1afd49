/** The objects that mutating admission policies make: `Object{spec: Object.spec{replicas: 3}}`. Not part of other environments. */

import type { TypeProvider } from "../environment/environment.ts";
import { type CelType, dynType, objectType } from "../types/type.ts";
import { JsonList, JsonMap } from "../values/json.ts";
import { CelList, CelMap, CelObject, type CelValue } from "../values/value.ts";

/** The type of a whole apply configuration. */
export const applyConfigurationType = objectType("Object");

/** Every field may be anything: the type of the object that is changed is not known where expressions are compiled. */
export const applyConfigurationTypes: TypeProvider = {
  hasType: (name) => name === "Object" || name.startsWith("Object."),
  fieldType: () => dynType,
  create: (name, fields) => new ApplyConfigurationValue(name, fields),
};

/** A part of an apply configuration, with the fields that it was given. */
export class ApplyConfigurationValue extends CelObject {
  override readonly type: CelType;
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(name: string, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = objectType(name);
    this.name = name;
    this.fields = fields;
  }

  override get(field: string): CelValue | undefined {
    return this.fields.get(field);
  }

  override has(field: string): boolean {
    return this.fields.has(field);
  }

  override equals(other: CelValue, equal: (a: CelValue, b: CelValue) => boolean): boolean {
    if (!(other instanceof ApplyConfigurationValue) || other.name !== this.name || other.fields.size !== this.fields.size) return false;
    for (const [name, value] of this.fields) {
      const theirs = other.fields.get(name);
      if (theirs === undefined || !equal(value, theirs)) return false;
    }
    return true;
  }

  override json(toJson: (value: CelValue) => unknown): unknown {
    return Object.fromEntries(Array.from(this.fields, ([name, value]) => [name, toJson(value)]));
  }
}

/**
 * What is wrong with the types of an object's parts: that of a field is the type around it with the field's name, whatever lists
 * and maps lie between. Empty when nothing is.
 */
export function typeNameProblems(value: CelValue, path = "Object"): readonly string[] {
  if (value instanceof ApplyConfigurationValue) {
    const wrong = `unexpected type name "${value.name}", expected "${path}", which matches field name path from root Object type`;
    const inside = Array.from(value.fields).flatMap(([field, part]) => typeNameProblems(part, `${path}.${field}`));
    return value.name === path ? inside : [wrong, ...inside];
  }
  // What was read of an object holds nothing that an expression has made.
  if (value instanceof JsonList || value instanceof JsonMap) return [];
  if (value instanceof CelList) return Array.from(value).flatMap((item) => typeNameProblems(item, path));
  if (value instanceof CelMap) return Array.from(value.keys()).flatMap((key) => typeNameProblems(value.get(key) ?? null, path));
  return [];
}
