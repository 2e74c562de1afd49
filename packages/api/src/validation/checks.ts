/** The few checks that every file here repeats. Errors are collected in a list: cheaper than generators on the path of every write. */
import { deepEqual, type FieldError, field, validatePathSegmentName } from "@coxswain/machinery";
import { type InternalType, internalView } from "../internal/internal-view.ts";

export type Errors = FieldError[];

/** One error for each of a name check's messages. */
export function addInvalid(out: Errors, path: string, value: unknown, messages: readonly string[]): void {
  for (const message of messages) out.push(field.invalid(path, value, message));
}

export function nonNegative(out: Errors, path: string, value: number | bigint | undefined): void {
  if (value !== undefined && value < 0) out.push(field.invalid(path, value, "must be greater than or equal to 0"));
}

/** Absence is fine; `supported` is shown in the order given. */
export function oneOf(out: Errors, path: string, value: string | undefined, supported: readonly string[]): void {
  if (value !== undefined && !supported.includes(value)) out.push(field.notSupported(path, value, supported));
}

/** Like oneOf, but absence and the empty text are errors of their own. */
export function requiredOneOf(out: Errors, path: string, value: string | undefined, supported: readonly string[]): void {
  if (!value) out.push(field.required(path));
  else oneOf(out, path, value, supported);
}

export function requiredText(out: Errors, path: string, value: string | undefined): void {
  if (!value) out.push(field.required(path));
}

/** A required name that can stand in a URL. */
export function requiredPathSegment(out: Errors, path: string, value: string | undefined): void {
  if (!value) out.push(field.required(path));
  else addInvalid(out, path, value, validatePathSegmentName(value));
}

/** What Kubernetes calls immutable: the new value is shown. */
export function immutable(out: Errors, path: string, next: unknown, prev: unknown): void {
  if (!deepEqual(next, prev)) out.push(field.invalid(path, next, "field is immutable"));
}

/** The same for values of that type, which are shown in their internal form. */
export const immutableAs =
  (type: InternalType): typeof immutable =>
  (out, path, next, prev) => {
    if (!deepEqual(next, prev)) out.push(field.invalid(path, isSet(next) ? internalView(type, next) : next, "field is immutable"));
  };

export const isSet = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;
