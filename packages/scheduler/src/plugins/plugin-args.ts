/** Reads a plugin's arguments, which come as a configuration file has them. */
import { field } from "@coxswain/machinery";

export type Args = Readonly<Record<string, unknown>>;

/** With all that is wrong, as kube-scheduler says it; paths begin at the arguments. */
export class InvalidArgs extends Error {
  readonly errors: readonly field.FieldError[];

  constructor(errors: readonly field.FieldError[]) {
    super(field.formatFieldErrors(errors));
    this.name = "InvalidArgs";
    this.errors = errors;
  }
}

/** @throws InvalidArgs */
export function refuseAny(errors: readonly field.FieldError[]): void {
  if (errors.length > 0) throw new InvalidArgs(errors);
}

/** `fallback` for what is absent. */
export function listAt(args: Args, name: string, errors: field.FieldError[]): readonly unknown[] {
  const value = args[name] ?? [];
  if (Array.isArray(value)) return value;
  errors.push(field.typeInvalid(name, value, "must be a list"));
  return [];
}

export const isRecord = (value: unknown): value is Args => typeof value === "object" && value !== null && !Array.isArray(value);

/** A whole number within these bounds. */
export function checkRange(
  out: field.FieldError[],
  path: string,
  value: unknown,
  { range: [from, to], message }: { readonly range: readonly [number, number]; readonly message: string },
): void {
  if (!Number.isInteger(value) || Number(value) < from || Number(value) > to) out.push(field.invalid(path, value, message));
}
