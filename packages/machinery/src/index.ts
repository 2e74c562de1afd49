export * from "./clock.ts";
export * from "./codec/json.ts";
export type { FieldError, FieldErrorType } from "./field-error.ts";
export * as field from "./field-error.ts";
export * from "./go-format.ts";
export * from "./meta.ts";
export * from "./schema/type.ts";
export * from "./status.ts";
export * from "./system.ts";
