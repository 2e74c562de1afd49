export * from "./kind.ts";
export * from "./resource.ts";
