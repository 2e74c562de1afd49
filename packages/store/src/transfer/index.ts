/** Whole states that move: between data files, etcd and snapshots. */
export { type FileSourceOptions, type FileTargetOptions, openFileSource, openFileTarget } from "./data-directory.ts";
export { type EtcdPlace, type EtcdSourceOptions, openEtcdSource } from "./etcd-source.ts";
export { type EtcdTargetOptions, openEtcdTarget } from "./etcd-target.ts";
export { createSnapshot, openSnapshot, type SnapshotFacts, type SnapshotTargetOptions } from "./snapshot-file.ts";
export type { StateEntry, StateSource, StateSummary, StateTarget, TargetReport } from "./state.ts";
export { type TransferOptions, type Transferred, transferState } from "./transfer-state.ts";
