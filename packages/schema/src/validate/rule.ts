/** One rule of a schema for values of one kind. Names are the validator's: `spec.n`, `.n` where a map stands at the root. */
import type { FieldError, FieldErrorType } from "@coxswain/machinery";
import { invalidValue } from "./problem.ts";
import type { Work } from "./work.ts";

export interface Rule<T> {
  holds(value: T, work: Work): boolean;
  /** Asked only when it does not hold. */
  error(value: T, name: string): FieldError;
}

/** The field that Kubernetes makes of a name. */
export function fieldOfName(name: string): string {
  const field = name.startsWith(".") ? name.slice(1) : name;
  return field === "" ? noField : field;
}

/** As Go prints the path that is none. */
export const noField = "<nil>";

/** `spec.n in body should …`, with the value at fault. */
export const bodyError = (name: string, value: unknown, what: string, type?: FieldErrorType): FieldError =>
  invalidValue(fieldOfName(name), value, `${name} in body ${what}`, type);

/** The whole object is named, and the field in the sentence only. */
export const forbiddenProperty = (name: string, key: string): FieldError =>
  invalidValue(fieldOfName(name), key, `${name}.${key} in body is a forbidden property`);

/** An error without a field, whose sentence says everything. */
export const plainError = (sentence: string): FieldError => invalidValue(noField, "", sentence);

export const typeError = (name: string, expected: string, found: string): FieldError =>
  bodyError(name, found, `must be of type ${expected}: "${found}"`, "FieldValueTypeInvalid");
