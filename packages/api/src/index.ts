export * from "./age.ts";
export * from "./kind.ts";
export * from "./resource.ts";
