/**
 * Clusters for tests. What needs the control plane is loaded through Node's compile cache, which halves the time: hence
 * the import that waits.
 */
import { load } from "./load.ts";

const entry = await load(() => import("./entry.ts"), process.env);

export const {
  applyYaml,
  everyFault,
  everyFaultAtEveryStep,
  FaultScript,
  seededRandom,
  startCluster,
  VirtualClock,
  virtualClock,
  WaitError,
  waitFor,
} = entry;
export type FaultScript = import("./entry.ts").FaultScript;
export type VirtualClock = import("./entry.ts").VirtualClock;
export type WaitError = import("./entry.ts").WaitError;
export type * from "./types.ts";
