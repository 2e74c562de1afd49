import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Eviction } from "./pod-eviction.ts";
import { type Activity, isDue, type PodWorkerEvent, type PodWorkerState, type WorkingState } from "./pod-worker-state.ts";
import { initialState, type Transition, transition } from "./pod-worker-transition.ts";

const calmUntil = 0;
const eviction: Eviction = { reason: "Evicted", message: "", graceSeconds: 1 };
const terminating = { stage: "terminating", graceSeconds: 30, eviction: undefined } as const;

/** What works, by name; beside it there are `waiting`, `finished` and `gone`. */
const working = {
  syncing: (activity: Activity): WorkingState => ({ stage: "syncing", activity, calmUntil, acts: 0, mountRetryMs: 500 }),
  terminating: (activity: Activity): WorkingState => ({ ...terminating, activity, calmUntil, isRemoved: false }),
  "terminating, removed": (activity: Activity): WorkingState => ({ ...terminating, activity, calmUntil, isRemoved: true }),
  terminated: (activity: Activity): WorkingState => ({ stage: "terminated", activity, calmUntil, isRemoved: false }),
  "terminated, removed": (activity: Activity): WorkingState => ({ stage: "terminated", activity, calmUntil, isRemoved: true }),
  removing: (activity: Activity): WorkingState => ({ stage: "removing", activity, calmUntil }),
};
type Working = keyof typeof working;
type Resting = "waiting" | "finished" | "gone";
const workingNames = Object.keys(working) as readonly Working[];
const restingNames: readonly Resting[] = ["waiting", "finished", "gone"];

const events = {
  poked: { type: "poked", now: 5000 },
  timerFired: { type: "timerFired" },
  nameFreed: { type: "nameFreed" },
  changed: { type: "changed", isDeleted: false, isTerminal: false, graceSeconds: undefined, podGraceSeconds: 30 },
  completed: { type: "changed", isDeleted: false, isTerminal: true, graceSeconds: undefined, podGraceSeconds: 30 },
  deleted: { type: "changed", isDeleted: true, isTerminal: false, graceSeconds: 10, podGraceSeconds: 30 },
  removed: { type: "removed", graceSeconds: 30, podGraceSeconds: 30 },
  evicted: { type: "evicted", eviction, podGraceSeconds: 30 },
  stepStarted: { type: "stepStarted" },
  podCompleted: { type: "podCompleted" },
  podActed: { type: "podActed", maxActs: 8, now: 5000 },
  podSynced: { type: "podSynced", syncAt: 9000 },
  podTerminated: { type: "podTerminated" },
  podFinished: { type: "podFinished" },
  remainsRemoved: { type: "remainsRemoved" },
  stepAborted: { type: "stepAborted" },
  stepFailed: { type: "stepFailed", error: new Error("no"), isMount: false, now: 5000 },
} as const satisfies Record<string, PodWorkerEvent>;
type EventName = keyof typeof events;

const show = ({ state, effects }: Transition): string => {
  const removed = "isRemoved" in state && state.isRemoved ? ", removed" : "";
  const activity = state.activity === "idle" ? "" : ` ${state.activity}`;
  return [`${state.stage}${removed}${activity}`, ...effects.map(({ type }) => type)].join(" + ");
};

/** What comes of an event while nothing is under way, and while a step is; by stage. `same`: nothing at all. */
const outside: Readonly<Record<string, Readonly<Partial<Record<Working | Resting, readonly [idle: string, working?: string]>>>>> = {
  poked: {
    syncing: ["syncing urgent + startWork", "syncing again"],
    terminating: ["terminating urgent + startWork", "terminating again"],
    "terminating, removed": ["terminating, removed urgent + startWork", "terminating, removed again"],
    terminated: ["terminated urgent + startWork", "terminated again"],
    "terminated, removed": ["terminated, removed urgent + startWork", "terminated, removed again"],
    removing: ["removing urgent + startWork", "removing again"],
  },
  timerFired: {
    syncing: ["syncing urgent + startWork", "syncing urgent"],
    terminating: ["terminating urgent + startWork", "terminating urgent"],
    "terminating, removed": ["terminating, removed urgent + startWork", "terminating, removed urgent"],
    terminated: ["terminated urgent + startWork", "terminated urgent"],
    "terminated, removed": ["terminated, removed urgent + startWork", "terminated, removed urgent"],
    removing: ["removing urgent + startWork", "removing urgent"],
  },
  nameFreed: { waiting: ["syncing urgent + startWork"] },
  changed: {
    syncing: ["syncing urgent + startWork", "syncing urgent"],
    terminating: ["terminating urgent + startWork", "terminating urgent"],
    "terminating, removed": ["terminating, removed urgent + startWork", "terminating, removed urgent"],
    terminated: ["terminated urgent + startWork", "terminated urgent"],
    "terminated, removed": ["terminated, removed urgent + startWork", "terminated, removed urgent"],
    removing: ["removing urgent + startWork", "removing urgent"],
  },
  completed: {
    syncing: ["terminating urgent + abortStep + startWork", "terminating urgent + abortStep"],
    terminating: ["terminating urgent + startWork", "terminating urgent"],
    "terminating, removed": ["terminating, removed urgent + startWork", "terminating, removed urgent"],
    terminated: ["terminated urgent + startWork", "terminated urgent"],
    "terminated, removed": ["terminated, removed urgent + startWork", "terminated, removed urgent"],
    removing: ["removing urgent + startWork", "removing urgent"],
  },
  deleted: {
    waiting: ["terminating urgent + abortStep + startWork"],
    syncing: ["terminating urgent + abortStep + startWork", "terminating urgent + abortStep"],
    terminating: ["terminating urgent + abortStep + startWork", "terminating urgent + abortStep"],
    "terminating, removed": ["terminating, removed urgent + abortStep + startWork", "terminating, removed urgent + abortStep"],
    terminated: ["terminated urgent + startWork", "terminated urgent"],
    "terminated, removed": ["terminated, removed urgent + startWork", "terminated, removed urgent"],
    removing: ["removing urgent + startWork", "removing urgent"],
  },
  removed: {
    waiting: ["terminated, removed urgent + disposeStatusWriter + startWork"],
    finished: ["terminated, removed urgent + disposeStatusWriter + startWork"],
    syncing: [
      "terminating, removed urgent + disposeStatusWriter + abortStep + startWork",
      "terminating, removed urgent + disposeStatusWriter + abortStep",
    ],
    terminating: ["terminating, removed urgent + disposeStatusWriter + startWork", "terminating, removed urgent + disposeStatusWriter"],
    terminated: ["terminated, removed urgent + disposeStatusWriter + startWork", "terminated, removed urgent + disposeStatusWriter"],
  },
  evicted: {
    waiting: ["terminating urgent + abortStep + startWork"],
    syncing: ["terminating urgent + abortStep + startWork", "terminating urgent + abortStep"],
    terminating: ["terminating urgent + abortStep + startWork", "terminating urgent + abortStep"],
    "terminating, removed": ["terminating, removed urgent + abortStep + startWork", "terminating, removed urgent + abortStep"],
    terminated: ["terminated urgent + startWork", "terminated urgent"],
    "terminated, removed": ["terminated, removed urgent + startWork", "terminated, removed urgent"],
    removing: ["removing urgent + startWork", "removing urgent"],
  },
};

/** What comes of the end of a step, by stage; `again` where it is not named: the stage has changed under the step. */
const steps: Readonly<Record<string, Readonly<Partial<Record<Working, string>>>>> = {
  podCompleted: { syncing: "terminating again + abortStep" },
  podActed: {},
  podSynced: { syncing: "syncing + setTimer" },
  podTerminated: { terminating: "terminated again + notifyStopped", "terminating, removed": "terminated, removed again + notifyStopped" },
  podFinished: { terminated: "finished", "terminated, removed": "removing again" },
  remainsRemoved: { removing: "gone + notifyGone" },
  stepAborted: {},
  stepFailed: Object.fromEntries(workingNames.map((name) => [name, `${name} + reportFailure + retryAfter`])),
};

const at = (name: Working | Resting, activity: Activity): PodWorkerState =>
  name in working ? working[name as Working](activity) : { stage: name as Resting, activity: "idle" };

test("every event has its row", () => {
  const named = [...Object.keys(outside), "stepStarted", ...Object.keys(steps)];
  assert.deepEqual(named.toSorted(), Object.keys(events).toSorted());
});

for (const [event, row] of Object.entries(outside)) {
  for (const name of [...workingNames, ...restingNames]) {
    const [idle, busy] = row[name] ?? [];
    test(`${name}, nothing under way: ${event} gives ${idle ?? "nothing"}`, () => {
      const before = at(name, "idle");
      const after = transition(before, events[event as EventName]);
      assert.equal(show(after), idle ?? show({ state: before, effects: [] }));
    });
    if (!(name in working)) continue;
    test(`${name}, a step under way: ${event} gives ${busy ?? "nothing"}`, () => {
      const before = at(name, "working");
      const after = transition(before, events[event as EventName]);
      assert.equal(show(after), busy ?? show({ state: before, effects: [] }));
    });
  }
}

for (const [event, row] of Object.entries(steps)) {
  for (const name of workingNames) {
    const expected = row[name] ?? `${name} again`;
    test(`${name}: ${event} gives ${expected}`, () =>
      assert.equal(show(transition(at(name, "working"), events[event as EventName])), expected));
  }
  test(`${event} is ignored where no step is taken`, () => {
    for (const name of restingNames) {
      const before = at(name, "idle");
      assert.deepEqual(transition(before, events[event as EventName]), { state: before, effects: [] });
    }
  });
}

const ending = { isWaiting: false, isRejected: false, isEnding: true, graceSeconds: 5 };
const cases: readonly {
  name: string;
  state: PodWorkerState;
  events: readonly PodWorkerEvent[];
  expect: Partial<Record<string, unknown>>;
}[] = [
  {
    name: "a shorter grace takes the place of a longer one",
    state: initialState(ending),
    events: [{ ...events.deleted, graceSeconds: 2 }],
    expect: { graceSeconds: 2 },
  },
  {
    name: "a longer grace does not take the place of a shorter one",
    state: initialState(ending),
    events: [{ ...events.deleted, graceSeconds: 60 }],
    expect: { graceSeconds: 5 },
  },
  {
    name: "no grace is shorter than a second",
    state: initialState({ ...ending, graceSeconds: 0 }),
    events: [],
    expect: { graceSeconds: 1 },
  },
  { name: "an eviction is kept for the Pod's status", state: at("syncing", "idle"), events: [events.evicted], expect: { eviction } },
  {
    name: "volumes that cannot be mounted are tried again ever later",
    state: at("syncing", "working"),
    events: [
      { ...events.stepFailed, isMount: true },
      { ...events.stepFailed, isMount: true },
    ],
    expect: { mountRetryMs: 2000 },
  },
  {
    name: "a step that succeeds makes the next retry of a mount an early one",
    state: at("syncing", "working"),
    events: [{ ...events.stepFailed, isMount: true }, events.timerFired, events.stepStarted, events.podSynced],
    expect: { mountRetryMs: 500 },
  },
  {
    name: "a runtime that always leaves something to do is left alone for a while",
    state: { ...working.syncing("working"), acts: 8 } as PodWorkerState,
    events: [events.podActed],
    expect: { acts: 0, activity: "idle", calmUntil: 6000 },
  },
];
for (const { name, state, events: given, expect } of cases)
  test(name, () =>
    assert.partialDeepStrictEqual(
      given.reduce((now, event) => transition(now, event).state, state),
      expect,
    ),
  );

test("what the runtime reports after a step that failed is followed a little later", () => {
  const failed = transition(at("syncing", "again"), events.stepFailed);
  assert.equal(show(failed), "syncing + reportFailure + retryAfter + setTimerBy");
  assert.deepEqual(transition(failed.state, events.poked).effects, [{ type: "setTimerBy", at: 6000 }]);
  assert.equal(show(transition(failed.state, { type: "poked", now: 6000 })), "syncing urgent + startWork");
});

test("what is urgent is done at once, though the step before it failed", () =>
  assert.equal(show(transition(at("syncing", "urgent"), events.stepFailed)), "syncing urgent + reportFailure + retryAfter"));

const rank: Readonly<Record<PodWorkerState["stage"], number>> = {
  waiting: 0,
  syncing: 1,
  terminating: 2,
  terminated: 3,
  finished: 4,
  removing: 5,
  gone: 6,
};
const outsideEvent = fc.constantFrom(...Object.keys(outside).map((name) => events[name as EventName]));
const stepEnd: Readonly<Record<string, readonly EventName[]>> = {
  syncing: ["podCompleted", "podActed", "podSynced"],
  terminating: ["podTerminated"],
  terminated: ["podFinished"],
  removing: ["remainsRemoved"],
};
const choice = fc.oneof(outsideEvent, fc.record({ step: fc.nat(), fails: fc.boolean() }));

test("any order of events only moves a Pod forward, and work that is due is never forgotten", () =>
  fc.assert(
    fc.property(fc.array(choice, { maxLength: 40 }), fc.boolean(), (list, isWaiting) => {
      let state = initialState({ isWaiting, isRejected: false, isEnding: false, graceSeconds: undefined });
      let isWorking = false;
      /** The stage whose step is under way. */
      let stepOf: PodWorkerState["stage"] | undefined;
      const send = (event: PodWorkerEvent): void => {
        const next = transition(state, event);
        const isAgain = state.stage === "finished" && next.state.stage === "terminated";
        assert.ok(isAgain || rank[next.state.stage] >= rank[state.stage], `${state.stage} -> ${next.state.stage}`);
        for (const { type } of next.effects) {
          if (type !== "startWork") continue;
          assert.equal(isWorking, false, "one step at a time");
          isWorking = true;
        }
        state = next.state;
      };
      for (const one of list) {
        if ("type" in one) send(one);
        else if (stepOf !== undefined) {
          const ends = stepEnd[stepOf] ?? [];
          const name = one.fails ? (stepOf === state.stage ? "stepFailed" : "stepAborted") : ends[one.step % ends.length];
          stepOf = undefined;
          send(events[name ?? "stepAborted"]);
          isWorking = isDue(state);
        } else if (isWorking) {
          stepOf = state.stage;
          send(events.stepStarted);
        }
        assert.equal(isWorking, state.activity !== "idle");
      }
    }),
    { numRuns: 300, seed: 7 },
  ));
