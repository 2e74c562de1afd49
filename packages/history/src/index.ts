export type { RecordedChange } from "./changes/change-batch.ts";
export * from "./contracts/history-reader.ts";
export { applyDelta, encodeDelta } from "./delta/delta.ts";
export { HistoryInMemory } from "./file/history-in-memory.ts";
export type { HistoryBounds } from "./file/prune.ts";
export { HistoryFileError } from "./file/schema.ts";
export { type History, type HistoryOptions, openHistory } from "./recorder/open-history.ts";
export { isRecordable, type RecordedStore } from "./recorder/recorder.ts";
export { windowHistory } from "./recorder/window-history.ts";
