export type { HistoryOptions } from "./engine/history-store.ts";
export { createMemoryStore, type MemoryStore, type StoreSnapshot } from "./memory/memory-store.ts";
export { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
export type { SqliteOptions } from "./sqlite/sqlite-store.ts";
export { type CompactionOptions, compactRegularly } from "./storage/compact-regularly.ts";
export { defaultKeyRoot, keyRootOf } from "./storage/key-root.ts";
export * from "./storage/store.ts";
export { type StoreFailure, storeErrorOf, storeFailureOf } from "./storage/store-failure.ts";
export { identityTransformer, isEncrypted, TransformError, type ValueTransformer } from "./storage/value-transformer.ts";
