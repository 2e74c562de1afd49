export * from "./framework/affinity-term.ts";
export * from "./framework/cluster-event.ts";
export * from "./framework/cycle-state.ts";
export * from "./framework/node-info.ts";
export * from "./framework/plugin.ts";
export * from "./framework/pod-info.ts";
export * from "./framework/resources.ts";
export * from "./framework/verdict.ts";
