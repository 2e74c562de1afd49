export * from "./built-in-controller.ts";
