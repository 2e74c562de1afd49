export * from "./age.ts";
export * from "./deprecation.ts";
export * from "./kind.ts";
export * from "./resource.ts";
export * from "./scale.ts";
export * from "./selector-text.ts";
export * from "./version-order.ts";
