/** The Common Expression Language, with what Kubernetes adds to it. */
export * from "./ast.ts";
export * from "./environment.ts";
export * from "./library.ts";
export * from "./macro.ts";
export type { Issue } from "./source.ts";
export * from "./type.ts";
export * from "./value.ts";
