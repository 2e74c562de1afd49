import { type FieldError, field } from "@coxswain/machinery";
import { accepts } from "./accepts.ts";
import type { Correlation } from "./correlation.ts";
import { explain } from "./explain.ts";
import { noField } from "./rule.ts";
import type { ValueSchema } from "./value-schema.ts";
import { TooMuchWork, type ValidationBudget, Work } from "./work.ts";

/** All errors of a value. `old` is asked for only when there are some. */
export function valueErrors(
  schema: ValueSchema,
  value: unknown,
  old: () => Correlation | undefined,
  validationBudget?: ValidationBudget,
): FieldError[] {
  return withinBounds(noField, () =>
    accepts(schema, value, new Work(validationBudget)) ? [] : [...explain(schema, value, old(), new Work(validationBudget))],
  );
}

/** What `check` finds, or that it takes too long. */
export function withinBounds(path: string, check: () => FieldError[]): FieldError[] {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return [field.forbidden(path, "checking the patterns and alternatives of the schema takes too long")];
  }
}
