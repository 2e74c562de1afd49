export * from "./age.ts";
export * from "./kind.ts";
export * from "./resource.ts";
export * from "./version-order.ts";
