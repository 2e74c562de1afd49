/** The Common Expression Language, with what Kubernetes adds to it. */
export * from "./ast.ts";
export * from "./collections.ts";
export { createEnvironment } from "./create-environment.ts";
export * from "./environment.ts";
export { equalValues } from "./equality.ts";
export * from "./library.ts";
export * from "./macro.ts";
export { compareValues } from "./order.ts";
export type { Issue } from "./source.ts";
export { bindings } from "./standard/bindings.ts";
export { optionals } from "./standard/optional.ts";
export { twoVariables } from "./standard/two-variables.ts";
export * from "./type.ts";
export { runtimeTypeName, sameType, showType } from "./type-text.ts";
export * from "./value.ts";
export { typeOfValue } from "./value-type.ts";
