export { formatCriLogLine, parseCriLogLine } from "./logs/cri-log-line.ts";
export { type FollowOptions, readCriLogs } from "./logs/read-cri-logs.ts";
export { createLogRotation, type LogRotation, type LogRotationOptions, removeLogs } from "./logs/rotate-logs.ts";
export * from "./parts.ts";
export * from "./runtime/container-streams.ts";
export * from "./runtime/pod-runtime.ts";
export * from "./runtime/runtime-config.ts";
export * from "./runtime/runtime-error.ts";
export * from "./runtime/runtime-status.ts";
