/** What a Pod's worker is doing, what happens to it, and what it does in answer; `transition` connects them. */
import type { Eviction } from "./pod-eviction.ts";

/** A Pod that begins to terminate never syncs again, and one that is gone stays so. */
export type PodWorkerState = RestingState | WorkingState;

/** Nothing is to be done. */
export interface RestingState {
  /** `waiting` for another Pod of its name to go; `finished` while the API has it still; `gone` when nothing has it. */
  readonly stage: "waiting" | "finished" | "gone";
  readonly activity: "idle";
}

/** Steps are taken: each brings the Pod nearer to what its stage is about. */
export type WorkingState = Work & (Syncing | Terminating | Terminated | Removing);

export interface Work {
  readonly activity: Activity;
  /** Until when what the runtime reports is not followed; by the monotonic clock. */
  readonly calmUntil: number;
}

/** `again`: a step is under way, and another is due after it; urgently when not only the runtime reported something. */
export type Activity = "idle" | "working" | "again" | "urgent";

export interface Syncing {
  readonly stage: "syncing";
  /** Steps in a row that found something to do. */
  readonly acts: number;
  /** After the next volume that cannot be mounted. */
  readonly mountRetryMs: number;
}

export interface Terminating extends TerminationRequest {
  readonly stage: "terminating";
  /** The API has it no longer. */
  readonly isRemoved: boolean;
  readonly eviction: Eviction | undefined;
}

/** Nothing of it runs: its volumes go, and its last status is set. */
export interface Terminated {
  readonly stage: "terminated";
  readonly isRemoved: boolean;
}

/** The API has it no longer: its containers and sandboxes go. */
export interface Removing {
  readonly stage: "removing";
}

export interface TerminationRequest {
  /** Instead of what the Pod's spec says. */
  readonly graceSeconds: number | undefined;
}

/** What a Pod's spec says of its end; undefined: nothing. */
export interface SpecGrace {
  readonly podGraceSeconds: number | undefined;
}

export type PodWorkerEvent =
  /** The runtime, a probe or a volume reports that something may have changed. */
  | { readonly type: "poked"; readonly now: number }
  | { readonly type: "timerFired" }
  /** The Pod that had its name is gone. */
  | { readonly type: "nameFreed" }
  | ({ readonly type: "changed"; readonly isDeleted: boolean; readonly isTerminal: boolean } & TerminationRequest & SpecGrace)
  | ({ readonly type: "removed" } & TerminationRequest & SpecGrace)
  | ({ readonly type: "evicted"; readonly eviction: Eviction } & SpecGrace)
  | { readonly type: "stepStarted" }
  | StepEvent;

/** How a step has ended. */
export type StepEvent =
  /** Its containers have ended for good, or must. */
  | { readonly type: "podCompleted" }
  /** Something was done: it is synced again at once. */
  | { readonly type: "podActed"; readonly maxActs: number; readonly now: number }
  /** Nothing is left to do, until `syncAt` at the latest (monotonic; undefined: until something happens). */
  | { readonly type: "podSynced"; readonly syncAt: number | undefined }
  /** No container runs any more. */
  | { readonly type: "podTerminated" }
  /** Its volumes are gone and its last status is set. */
  | { readonly type: "podFinished" }
  | { readonly type: "remainsRemoved" }
  /** A later change has made it pointless. */
  | { readonly type: "stepAborted" }
  | StepFailed;

export interface StepFailed {
  readonly type: "stepFailed";
  readonly error: unknown;
  /** A volume could not be mounted. */
  readonly isMount: boolean;
  readonly now: number;
}

export type PodWorkerEffect =
  /** Starts to take steps: none is under way. */
  | { readonly type: "startWork" }
  | { readonly type: "abortStep" }
  /** Monotonic; undefined: never. What was set before is forgotten. */
  | { readonly type: "setTimer"; readonly at: number | undefined }
  /** So many milliseconds from now, and up to half as much again. */
  | { readonly type: "retryAfter"; readonly pauseMs: number }
  /** Then at the latest. */
  | { readonly type: "setTimerBy"; readonly at: number }
  | { readonly type: "reportFailure"; readonly error: unknown; readonly isRemoved: boolean }
  /** Its place on the node is free. */
  | { readonly type: "notifyStopped" }
  /** The API has it no longer: no status is written any more. */
  | { readonly type: "disposeStatusWriter" }
  | { readonly type: "notifyGone" };

/** It may hold resources of the node. */
export const isActive = ({ stage }: PodWorkerState): boolean => stage === "waiting" || stage === "syncing" || stage === "terminating";

/** Another step is due. */
export const isDue = ({ activity }: PodWorkerState): boolean => activity === "again" || activity === "urgent";
