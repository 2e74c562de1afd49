export type { HistoryOptions } from "./engine/history-store.ts";
export { createMemoryStore } from "./memory.ts";
export * from "./store.ts";
