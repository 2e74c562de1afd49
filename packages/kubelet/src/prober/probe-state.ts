/** One probe of one container: what it has found, what it is doing, and what follows from what happens. Pure. */
export type ProbeKind = "startupProbe" | "readinessProbe" | "livenessProbe";

/** What the Pod's spec says of the probe. */
export interface ProbeSettings {
  readonly kind: ProbeKind;
  readonly periodMs: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
}

export type ProbeState = Findings &
  (
    | /** There is nothing to probe now. */ { readonly phase: "resting" }
    | /** For the next period. */ { readonly phase: "waiting" }
    | /** `again`: it is to be probed at once when this one is over. */ { readonly phase: "probing"; readonly again: boolean }
    | /** A probe has finished; its result is delivered before the next one starts. */ {
        readonly phase: "probed";
        readonly again: boolean;
      }
  );

interface Findings {
  readonly settings: ProbeSettings;
  /** Empty before the first container. */
  readonly containerId: string;
  readonly result: boolean | undefined;
  /** What the last probe has found, and how many in a row found that. */
  readonly last: boolean;
  readonly run: number;
  /** Nothing more is probed until there is a new container. */
  readonly isOnHold: boolean;
  /** Where the periods are counted from; by the monotonic clock. */
  readonly anchor: number;
}

/** What the worker sees of the Pod. */
export interface ProbeView {
  /** The newest container of its name. */
  readonly container: ProbedContainer | undefined;
  readonly isDeleted: boolean;
  /** By the monotonic clock. */
  readonly now: number;
}

export interface ProbedContainer {
  readonly id: string;
  readonly isRunning: boolean;
  readonly hasExited: boolean;
  /** It ran before this kubelet did, which leaves alone what its predecessor found. */
  readonly isOld: boolean;
  /** Its Pod's status says that it has started. */
  readonly wasStarted: boolean;
  /** Its startup probe has not succeeded yet. */
  readonly awaitsStartup: boolean;
  /** Until its initial delay is over; negative afterwards. */
  readonly initialWaitMs: number;
}

export type ProbeEvent =
  | { readonly type: "synced"; readonly view: ProbeView }
  | { readonly type: "timerFired"; readonly now: number }
  /** Undefined: it cannot be known, which counts as nothing. */
  | { readonly type: "probed"; readonly isGood: boolean | undefined }
  /** The result of the last probe has been delivered. */
  | { readonly type: "continued"; readonly view: ProbeView }
  | { readonly type: "stopped" };

export type ProbeEffect =
  /** No probe and no timer goes on. */
  | { readonly type: "cancel" }
  /** A settled one keeps no process alive. */
  | { readonly type: "setTimer"; readonly afterMs: number; readonly isSettled: boolean }
  | { readonly type: "startProbe" }
  /** Other probes of the container wait for it. */
  | { readonly type: "notifyStarted" }
  | { readonly type: "notifyChanged" };

export interface ProbeTransition {
  readonly state: ProbeState;
  readonly effects: readonly ProbeEffect[];
}

const noEffects: readonly ProbeEffect[] = [];
const settledFailures = 10;
const initially: Readonly<Record<ProbeKind, boolean | undefined>> = { startupProbe: undefined, readinessProbe: false, livenessProbe: true };

export const initialProbeState = (settings: ProbeSettings, anchor: number): ProbeState => ({
  settings,
  containerId: "",
  result: undefined,
  last: true,
  run: 0,
  isOnHold: false,
  anchor,
  phase: "resting",
});

export function transition(state: ProbeState, event: ProbeEvent): ProbeTransition {
  switch (event.type) {
    case "synced":
      return synced(state, event.view);
    case "timerFired":
      return state.phase === "waiting" ? probe(state, event.now, noEffects) : { state, effects: noEffects };
    case "probed":
      return state.phase === "probing" ? judged(state, state.again, event.isGood) : { state, effects: noEffects };
    case "continued":
      return state.phase === "probed" ? continued(state, state.again, event.view) : { state, effects: noEffects };
    case "stopped":
      return rest(state);
  }
}

function synced(before: ProbeState, view: ProbeView): ProbeTransition {
  const { container } = view;
  if (container === undefined) return rest(before);
  const isNew = container.id !== before.containerId;
  const effects: readonly ProbeEffect[] = isNew ? [{ type: "cancel" }] : noEffects;
  const known = isNew ? begin(before, container) : before;
  const current = container.hasExited ? { ...known, result: false } : known;
  if (!container.isRunning) return rest(current);
  const state = withoutRestarts(current, view);
  if (isIdle(state, container, view)) return rest(state);
  const isUrgent = state.settings.kind === "readinessProbe" && state.result !== true && container.initialWaitMs <= 0;
  if (!isUrgent) return wait(state, container, view.now, effects);
  if (state.phase === "probing") return { state: { ...state, again: true }, effects };
  return view.now >= state.anchor ? probe(state, view.now, effects) : wait(state, container, view.now, effects);
}

function begin(before: ProbeState, { id, isOld, wasStarted }: ProbedContainer): ProbeState {
  const { kind } = before.settings;
  const isStarted = isOld && kind === "startupProbe" && wasStarted;
  const result = isOld ? (isStarted ? true : undefined) : initially[kind];
  return { ...findings(before), containerId: id, result, isOnHold: isStarted, phase: "resting" };
}

/** Whoever is to go needs no restart any more. */
const withoutRestarts = (state: ProbeState, { isDeleted }: ProbeView): ProbeState =>
  isDeleted && state.settings.kind !== "readinessProbe" && state.result !== true ? { ...state, result: true } : state;

/** Until there is a new container, or it has started. */
function isIdle({ settings: { kind }, isOnHold }: ProbeState, { awaitsStartup }: ProbedContainer, { isDeleted }: ProbeView): boolean {
  return isOnHold || (isDeleted && kind !== "readinessProbe") || (kind !== "startupProbe" && awaitsStartup);
}

const rest = (state: ProbeState): ProbeTransition => ({ state: { ...findings(state), phase: "resting" }, effects: [{ type: "cancel" }] });

/** Counts the periods from now on, as one that is asked for does. */
const probe = (state: ProbeState, now: number, effects: readonly ProbeEffect[]): ProbeTransition => ({
  state: { ...findings(state), anchor: now, phase: "probing", again: false },
  effects: [...effects, { type: "startProbe" }],
});

/** For the next period in which the container may be probed. */
function wait(state: ProbeState, { initialWaitMs }: ProbedContainer, now: number, effects: readonly ProbeEffect[]): ProbeTransition {
  if (state.phase === "waiting" || state.phase === "probing") return { state, effects };
  const { anchor, run, result, settings } = state;
  const earliest = now + Math.max(0, initialWaitMs);
  const periods = Math.max(0, Math.ceil((earliest - anchor) / settings.periodMs));
  const next = anchor + periods * settings.periodMs;
  const afterMs = next > now ? next - now : settings.periodMs;
  const isSettled = run >= (result === true ? 1 : settledFailures);
  return { state: { ...findings(state), phase: "waiting" }, effects: [...effects, { type: "setTimer", afterMs, isSettled }] };
}

function judged(before: ProbeState, again: boolean, isGood: boolean | undefined): ProbeTransition {
  const over = { ...findings(before), phase: "probed", again } as const;
  if (isGood === undefined) return { state: over, effects: noEffects };
  const { kind, failureThreshold, successThreshold } = before.settings;
  const run = before.last === isGood ? before.run + 1 : 1;
  const counted = { ...over, last: isGood, run };
  if (run < (isGood ? successThreshold : failureThreshold)) return { state: counted, effects: noEffects };
  const holds = kind === "startupProbe" || (kind === "livenessProbe" && !isGood);
  const state = { ...counted, result: isGood, ...(holds ? { isOnHold: true, run: 0 } : {}) };
  if (before.result === isGood) return { state, effects: noEffects };
  return { state, effects: kind === "startupProbe" ? [{ type: "notifyStarted" }, { type: "notifyChanged" }] : [{ type: "notifyChanged" }] };
}

function continued(before: ProbeState, again: boolean, view: ProbeView): ProbeTransition {
  const { container } = view;
  if (container?.isRunning !== true) return rest(before);
  const state = withoutRestarts(before, view);
  if (isIdle(state, container, view)) return rest(state);
  return again && state.result !== true ? probe(state, view.now, noEffects) : wait(state, container, view.now, noEffects);
}

const findings = ({ settings, containerId, result, last, run, isOnHold, anchor }: ProbeState): Findings => ({
  settings,
  containerId,
  result,
  last,
  run,
  isOnHold,
  anchor,
});
