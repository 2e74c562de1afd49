/**
 * One thing wrong with one field, and how Kubernetes words it.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
import { goQuote } from "../go/quote.ts";
import { stringifyJson } from "../json/json.ts";
import type { StatusCause } from "./status-object.ts";

/** The reason of a field's error, as `details.causes[].reason` has it. */
export type FieldErrorType =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueNotFound"
  | "InternalError";

/** What is wrong with one field, as validation reports it. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** As in `spec.containers[0].name` or `metadata.annotations[key]`. */
  readonly field: string;
  /** The cause's message, without the path. */
  readonly message: string;
}

export const required = (field: string, detail = ""): FieldError => make("FieldValueRequired", field, "Required value", detail);

export const forbidden = (field: string, detail = ""): FieldError => make("FieldValueForbidden", field, "Forbidden", detail);

export const invalid = (field: string, value: unknown, detail = ""): FieldError =>
  make("FieldValueInvalid", field, `Invalid value: ${showValue(value)}`, detail);

export const typeInvalid = (field: string, value: unknown, detail = ""): FieldError =>
  make("FieldValueTypeInvalid", field, `Invalid value: ${showValue(value)}`, detail);

export const duplicate = (field: string, value: unknown): FieldError =>
  make("FieldValueDuplicate", field, `Duplicate value: ${showValue(value)}`, "");

export const notFound = (field: string, value: unknown): FieldError =>
  make("FieldValueNotFound", field, `Not found: ${showValue(value)}`, "");

/** `supported` is shown in the given order; Kubernetes sorts most sets before it calls. */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError =>
  make(
    "FieldValueNotSupported",
    field,
    `Unsupported value: ${showValue(value)}`,
    supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`,
  );

/** The value is left out of the message on purpose: it is too long. */
export const tooLong = (field: string, maxBytes: number): FieldError =>
  make("FieldValueTooLong", field, "Too long", `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`);

export const tooMany = (field: string, actual: number, max: number): FieldError =>
  make("FieldValueTooMany", field, `Too many: ${actual}`, `must have at most ${max} ${max === 1 ? "item" : "items"}`);

export const internal = (field: string, detail: string): FieldError => make("InternalError", field, "Internal error", detail);

/** The same error seen from the parent: `under("spec.template", e)`. */
export const under = (parent: string, error: FieldError): FieldError => ({
  ...error,
  field: error.field === "" ? parent : error.field.startsWith("[") ? `${parent}${error.field}` : `${parent}.${error.field}`,
});

export const formatFieldError = (error: FieldError): string => (error.field === "" ? error.message : `${error.field}: ${error.message}`);

/** All in one text, each once: alone as it is, several as a list. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(formatFieldError))];
  return texts.length === 1 ? `${texts[0]}` : `[${texts.join(", ")}]`;
}

export const causeOf = (error: FieldError): StatusCause => ({ reason: error.type, message: error.message, field: error.field });

function make(type: FieldErrorType, field: string, what: string, detail: string): FieldError {
  return { type, field, message: detail === "" ? what : `${what}: ${detail}` };
}

/** Objects and lists as Go's JSON, which is safe inside HTML. */
function showValue(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  return stringifyJson(value).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
