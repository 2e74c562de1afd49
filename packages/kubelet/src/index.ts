export * from "./parts.ts";
export * from "./runtime/container-streams.ts";
export * from "./runtime/pod-runtime.ts";
export * from "./runtime/runtime-config.ts";
export * from "./runtime/runtime-error.ts";
export * from "./runtime/runtime-status.ts";
