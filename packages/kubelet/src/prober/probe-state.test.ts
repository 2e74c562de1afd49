import assert from "node:assert/strict";
import { test } from "node:test";
import {
  initialProbeState,
  type ProbedContainer,
  type ProbeEvent,
  type ProbeKind,
  type ProbeState,
  type ProbeTransition,
  type ProbeView,
  transition,
} from "./probe-state.ts";

const now = 60_000;
const running: ProbedContainer = {
  id: "c0",
  isRunning: true,
  hasExited: false,
  isOld: false,
  wasStarted: false,
  awaitsStartup: false,
  initialWaitMs: -1000,
};
const exited: ProbedContainer = { ...running, isRunning: false, hasExited: true };
const view = (container: ProbedContainer | undefined, isDeleted = false): ProbeView => ({ container, isDeleted, now });

const phases = ["resting", "waiting", "probing", "probed"] as const;
type Phase = (typeof phases)[number];

function at(phase: Phase, kind: ProbeKind = "readinessProbe", more: Partial<ProbeState> = {}): ProbeState {
  const settings = { kind, periodMs: 10_000, failureThreshold: 3, successThreshold: 1 };
  const known = { ...initialProbeState(settings, 50_000), containerId: "c0", result: kind === "livenessProbe", ...more };
  return phase === "probing" || phase === "probed" ? { ...known, phase, again: false } : { ...known, phase };
}

const show = ({ state, effects }: ProbeTransition): string => {
  const again = "again" in state && state.again ? " again" : "";
  return [`${state.phase}${again}`, ...effects.map(({ type }) => type)].join(" + ");
};

const events = {
  "synced, running": { type: "synced", view: view(running) },
  "synced, starting slowly": { type: "synced", view: view({ ...running, initialWaitMs: 5000 }) },
  "synced, waiting for its startup probe": { type: "synced", view: view({ ...running, awaitsStartup: true }) },
  "synced, another container": { type: "synced", view: view({ ...running, id: "c1" }) },
  "synced, exited": { type: "synced", view: view(exited) },
  "synced, no container": { type: "synced", view: view(undefined) },
  timerFired: { type: "timerFired", now },
  "probed, good": { type: "probed", isGood: true },
  "probed, bad": { type: "probed", isGood: false },
  "probed, unknown": { type: "probed", isGood: undefined },
  "continued, running": { type: "continued", view: view(running) },
  "continued, exited": { type: "continued", view: view(exited) },
  stopped: { type: "stopped" },
} as const satisfies Record<string, ProbeEvent>;

/** Of a readiness probe that has not succeeded yet. In the order of the phases. */
const table: Readonly<Record<keyof typeof events, readonly [resting: string, waiting: string, probing: string, probed: string]>> = {
  "synced, running": ["probing + startProbe", "probing + startProbe", "probing again", "probing + startProbe"],
  "synced, starting slowly": ["waiting + setTimer", "waiting", "probing", "waiting + setTimer"],
  "synced, waiting for its startup probe": ["resting + cancel", "resting + cancel", "resting + cancel", "resting + cancel"],
  "synced, another container": [
    "probing + cancel + startProbe",
    "probing + cancel + startProbe",
    "probing + cancel + startProbe",
    "probing + cancel + startProbe",
  ],
  "synced, exited": ["resting + cancel", "resting + cancel", "resting + cancel", "resting + cancel"],
  "synced, no container": ["resting + cancel", "resting + cancel", "resting + cancel", "resting + cancel"],
  timerFired: ["resting", "probing + startProbe", "probing", "probed"],
  "probed, good": ["resting", "waiting", "probed + notifyChanged", "probed"],
  "probed, bad": ["resting", "waiting", "probed", "probed"],
  "probed, unknown": ["resting", "waiting", "probed", "probed"],
  "continued, running": ["resting", "waiting", "probing", "waiting + setTimer"],
  "continued, exited": ["resting", "waiting", "probing", "resting + cancel"],
  stopped: ["resting + cancel", "resting + cancel", "resting + cancel", "resting + cancel"],
};
for (const [name, row] of Object.entries(table))
  for (const [index, phase] of phases.entries())
    test(`${phase}: ${name} gives ${row[index]}`, () =>
      assert.equal(show(transition(at(phase), events[name as keyof typeof events])), row[index]));

const cases: readonly { name: string; state: ProbeState; event: ProbeEvent; expect: Partial<ProbeState>; effects?: string }[] = [
  {
    name: "a startup probe that has succeeded does no more",
    state: at("probing", "startupProbe"),
    event: events["probed, good"],
    expect: { result: true, isOnHold: true },
    effects: "probed + notifyStarted + notifyChanged",
  },
  {
    name: "a liveness probe fails after as many failures as it may",
    state: at("probing", "livenessProbe", { last: false, run: 2 }),
    event: events["probed, bad"],
    expect: { result: false, isOnHold: true, run: 0 },
    effects: "probed + notifyChanged",
  },
  {
    name: "one failure fewer changes nothing",
    state: at("probing", "livenessProbe", { last: false, run: 1 }),
    event: events["probed, bad"],
    expect: { result: true, run: 2 },
    effects: "probed",
  },
  {
    name: "a liveness probe of a Pod that is deleted rests, and counts as good",
    state: at("waiting", "livenessProbe", { result: false }),
    event: { type: "synced", view: view(running, true) },
    expect: { result: true, phase: "resting" },
  },
  {
    name: "a readiness probe of a Pod that is deleted goes on",
    state: at("waiting", "readinessProbe", { result: true }),
    event: { type: "synced", view: view(running, true) },
    expect: { phase: "waiting" },
  },
  {
    name: "what a predecessor found of an old container stays",
    state: at("resting"),
    event: { type: "synced", view: view({ ...running, id: "c1", isOld: true }) },
    expect: { containerId: "c1", result: undefined },
  },
  {
    name: "an old container that has started need not start again",
    state: at("resting", "startupProbe"),
    event: { type: "synced", view: view({ ...running, id: "c1", isOld: true, wasStarted: true }) },
    expect: { result: true, isOnHold: true, phase: "resting" },
  },
  {
    name: "a container that has exited is not ready",
    state: at("waiting", "readinessProbe", { result: true }),
    event: events["synced, exited"],
    expect: { result: false },
  },
];
for (const { name, state, event, expect, effects } of cases)
  test(name, () => {
    const after = transition(state, event);
    assert.partialDeepStrictEqual(after.state, expect);
    if (effects !== undefined) assert.equal(show(after), effects);
  });

test("who was asked for while a probe was under way is probed again at once, unless it was good", () => {
  const asked = transition(at("probing"), events["synced, running"]).state;
  const bad = transition(transition(asked, events["probed, bad"]).state, events["continued, running"]);
  assert.equal(show(bad), "probing + startProbe");
  const good = transition(transition(asked, events["probed, good"]).state, events["continued, running"]);
  assert.equal(show(good), "waiting + setTimer");
});

test("periods are counted from the last probe, and an initial delay ends with one of them", () => {
  const state = at("resting", "livenessProbe", { anchor: 55_000 });
  const afterMs = (initialWaitMs: number): unknown =>
    transition(state, { type: "synced", view: view({ ...running, initialWaitMs }) }).effects.map((one) => "afterMs" in one && one.afterMs);
  assert.deepEqual(afterMs(-1000), [5000]);
  assert.deepEqual(afterMs(7000), [15_000]);
});
