/** Errors of custom resources, with values as Go prints them: doubles with exponents, keys sorted. */

import type { FieldError, FieldErrorType } from "@coxswain/machinery";
import { canonicalJson, goDouble, goQuote } from "@coxswain/machinery";

export const invalidValue = (field: string, value: unknown, detail: string, type: FieldErrorType = "FieldValueInvalid"): FieldError => ({
  type,
  field,
  message: `Invalid value: ${showValue(value)}: ${detail}`,
});

export const requiredValue = (field: string): FieldError => ({ type: "FieldValueRequired", field, message: "Required value" });

export const duplicateValue = (field: string, value: unknown): FieldError => ({
  type: "FieldValueDuplicate",
  field,
  message: `Duplicate value: ${showValue(value)}`,
});

export const unsupportedValue = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: "FieldValueNotSupported",
  field,
  message: `Unsupported value: ${showValue(value)}: supported values: ${supported.map(goQuote).join(", ")}`,
});

export function showValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return goQuote(value);
    case "number":
      return showNumber(value);
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return canonicalJson(value);
  }
}

/** Integers are integers to Go too where a double holds them exactly. */
export const showNumber = (value: number | bigint): string =>
  typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : goDouble(value);
