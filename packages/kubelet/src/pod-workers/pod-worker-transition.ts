/**
 * What follows from what happens to a Pod's worker: the next state, and the effects that the worker carries out in their order.
 * Pure: times come with the events.
 */
import {
  type Activity,
  isDue,
  type PodWorkerEffect,
  type PodWorkerEvent,
  type PodWorkerState,
  type SpecGrace,
  type StepEvent,
  type StepFailed,
  type Syncing,
  type TerminationRequest,
  type Work,
  type WorkingState,
} from "./pod-worker-state.ts";

export interface Transition {
  readonly state: PodWorkerState;
  readonly effects: readonly PodWorkerEffect[];
}

/** What the runtime reports after a step that failed may be of that step's own making: it is not followed at once. */
const calmMs = 1_000;
/** Between attempts that failed for no special reason. */
const retryMs = 10_000;
const firstMountRetryMs = 500;
const maxMountRetryMs = 122_000;

const noEffects: readonly PodWorkerEffect[] = [];
const stopTimer: readonly PodWorkerEffect[] = [{ type: "setTimer", at: undefined }];
const newWork: Work = { activity: "idle", calmUntil: 0 };
const newlySyncing: Syncing = { stage: "syncing", acts: 0, mountRetryMs: firstMountRetryMs };

export interface InitialState extends TerminationRequest {
  /** Another Pod of its name is still here. */
  readonly isWaiting: boolean;
  /** The node did not admit it: it never runs. */
  readonly isRejected: boolean;
  /** It is deleted, or has ended before. */
  readonly isEnding: boolean;
}

export function initialState({ isWaiting, isRejected, isEnding, graceSeconds }: InitialState): PodWorkerState {
  if (isRejected) return { ...newWork, stage: "terminated", isRemoved: false };
  if (isWaiting) return { stage: "waiting", activity: "idle" };
  const syncing = { ...newWork, ...newlySyncing };
  return isEnding ? terminate(syncing, { graceSeconds, podGraceSeconds: undefined }).state : syncing;
}

export function transition(state: PodWorkerState, event: PodWorkerEvent): Transition {
  switch (event.type) {
    case "poked":
      return poked(state, event.now);
    case "timerFired":
      return go({ state, effects: noEffects });
    case "nameFreed":
      return state.stage === "waiting" ? go({ state: begun, effects: noEffects }) : { state, effects: noEffects };
    case "changed": {
      const current = state.stage === "waiting" && event.isDeleted ? begun : state;
      return go(event.isDeleted || event.isTerminal ? terminate(current, event) : { state: current, effects: noEffects });
    }
    case "removed":
      return removed(state, event);
    case "evicted": {
      // Its name is still another's, but it will not need it.
      const ending = terminate(state.stage === "waiting" ? begun : state, { ...event, graceSeconds: event.eviction.graceSeconds });
      const { stage } = ending.state;
      return go(stage === "terminating" ? { ...ending, state: { ...ending.state, eviction: event.eviction } } : ending);
    }
    case "stepStarted":
      return { state: hasSteps(state) ? { ...state, activity: "working" } : state, effects: stopTimer };
    default:
      return stepEnded(state, event);
  }
}

const begun: WorkingState = { ...newWork, ...newlySyncing };

function poked(state: PodWorkerState, now: number): Transition {
  if (!hasSteps(state)) return { state, effects: noEffects };
  if (state.activity === "working") return { state: { ...state, activity: "again" }, effects: noEffects };
  if (state.activity !== "idle") return { state, effects: noEffects };
  if (now >= state.calmUntil) return go({ state, effects: noEffects });
  return { state, effects: [{ type: "setTimerBy", at: state.calmUntil }] };
}

const hasSteps = (state: PodWorkerState): state is WorkingState =>
  state.stage !== "waiting" && state.stage !== "finished" && state.stage !== "gone";

/** A step is due at once, whatever was before. */
function go({ state, effects }: Transition): Transition {
  if (!hasSteps(state) || state.activity === "urgent") return { state, effects };
  const next: WorkingState = { ...state, activity: "urgent" };
  return { state: next, effects: state.activity === "idle" ? [...effects, { type: "startWork" }] : effects };
}

/** From now on it terminates; a shorter grace takes the place of a longer one. */
function terminate(state: PodWorkerState, { graceSeconds, podGraceSeconds }: TerminationRequest & SpecGrace): Transition {
  const asked = graceSeconds === undefined ? undefined : Math.max(1, graceSeconds);
  if (state.stage === "syncing") {
    const { activity, calmUntil } = state;
    const next = { stage: "terminating", graceSeconds: asked, isRemoved: false, eviction: undefined } as const;
    return { state: { activity, calmUntil, ...next }, effects: [{ type: "abortStep" }] };
  }
  if (state.stage !== "terminating" || asked === undefined) return { state, effects: noEffects };
  const before = state.graceSeconds ?? podGraceSeconds ?? Number.POSITIVE_INFINITY;
  const next = { ...state, graceSeconds: Math.min(asked, before) };
  return { state: next, effects: asked < before ? [{ type: "abortStep" }] : noEffects };
}

function removed(state: PodWorkerState, event: TerminationRequest & SpecGrace): Transition {
  const dispose = { type: "disposeStatusWriter" } as const;
  switch (state.stage) {
    case "waiting":
    case "finished":
    case "terminated":
      if (isRemoved(state)) return { state, effects: noEffects };
      return go({ state: { ...workOf(state), stage: "terminated", isRemoved: true }, effects: [dispose] });
    case "syncing":
    case "terminating": {
      if (isRemoved(state)) return { state, effects: noEffects };
      const ending = terminate(state, event);
      const next = ending.state.stage === "terminating" ? { ...ending.state, isRemoved: true } : ending.state;
      return go({ state: next, effects: [dispose, ...ending.effects] });
    }
    case "removing":
    case "gone":
      return { state, effects: noEffects };
  }
}

const isRemoved = (state: PodWorkerState): boolean => state.stage === "removing" || ("isRemoved" in state && state.isRemoved);

const workOf = (state: PodWorkerState): Work => (hasSteps(state) ? { activity: state.activity, calmUntil: state.calmUntil } : newWork);

function stepEnded(state: PodWorkerState, event: StepEvent): Transition {
  if (!hasSteps(state)) return { state, effects: noEffects };
  switch (event.type) {
    case "podCompleted":
      return again(terminate(state, { graceSeconds: undefined, podGraceSeconds: undefined }));
    case "podActed":
      return acted(state, event);
    case "podSynced": {
      if (state.stage !== "syncing") return again({ state, effects: noEffects });
      const activity = state.activity === "working" ? "idle" : state.activity;
      return { state: { ...state, ...newlySyncing, activity }, effects: [{ type: "setTimer", at: event.syncAt }] };
    }
    case "podTerminated":
      if (state.stage !== "terminating") return again({ state, effects: noEffects });
      return again({
        state: { ...workOf(state), stage: "terminated", isRemoved: state.isRemoved },
        effects: [{ type: "notifyStopped" }],
      });
    case "podFinished":
      if (state.stage !== "terminated") return again({ state, effects: noEffects });
      if (state.isRemoved) return again({ state: { ...workOf(state), stage: "removing" }, effects: noEffects });
      return { state: { stage: "finished", activity: "idle" }, effects: noEffects };
    case "remainsRemoved":
      if (state.stage !== "removing") return again({ state, effects: noEffects });
      return { state: { stage: "gone", activity: "idle" }, effects: [{ type: "notifyGone" }] };
    case "stepAborted":
      return again({ state, effects: noEffects });
    case "stepFailed":
      return failed(state, event);
  }
}

/** A runtime that always leaves something to do is not believed for a while. */
function acted(state: WorkingState, { maxActs, now }: StepEvent & { readonly type: "podActed" }): Transition {
  if (state.stage !== "syncing") return again({ state, effects: noEffects });
  if (state.acts < maxActs) return again({ state: { ...state, ...newlySyncing, acts: state.acts + 1 }, effects: noEffects });
  const error = new Error("the runtime does not keep what it says that it has done");
  return failed(state, { type: "stepFailed", error, isMount: false, now });
}

function failed(state: WorkingState, { error, isMount, now }: StepFailed): Transition {
  const calmUntil = now + calmMs;
  const pauseMs = isMount && state.stage === "syncing" ? state.mountRetryMs : retryMs;
  const effects: PodWorkerEffect[] = [
    { type: "reportFailure", error, isRemoved: isRemoved(state) },
    { type: "retryAfter", pauseMs },
  ];
  // What the runtime has reported meanwhile is followed a little later.
  if (state.activity === "again") effects.push({ type: "setTimerBy", at: calmUntil });
  const activity: Activity = state.activity === "urgent" ? "urgent" : "idle";
  if (state.stage !== "syncing") return { state: { ...state, calmUntil, activity }, effects };
  const mountRetryMs = isMount ? Math.min(2 * state.mountRetryMs, maxMountRetryMs) : state.mountRetryMs;
  return { state: { ...state, calmUntil, activity, acts: 0, mountRetryMs }, effects };
}

/** Another step follows. */
const again = ({ state, effects }: Transition): Transition => ({
  state: hasSteps(state) && !isDue(state) ? { ...state, activity: "again" } : state,
  effects,
});
