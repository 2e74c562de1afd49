import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { MetricsRegistry } from "@coxswain/client";
import { type Clock, ManualClock } from "@coxswain/machinery";
import type { SchedulerPlugin } from "../framework/plugin.ts";
import type { Pod } from "../framework/pod-info.ts";
import { SchedulerMetrics } from "../metrics/scheduler-metrics.ts";
import type { ClusterChange } from "./cluster-change.ts";
import type { QueuedPod } from "./queued-pod.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

const pod = (name: string, priority = 0, gates = 0): Pod => ({
  metadata: { name, namespace: "default", uid: name },
  spec: {
    schedulerName: "s",
    priority,
    containers: [],
    ...(gates === 0 ? {} : { schedulingGates: [{ name: "g" }] }),
  },
});

const fit: SchedulerPlugin = {
  name: "Fit",
  events: [{ event: { resource: "Node", actions: ["add"] }, hint: (_, _before, after) => after?.metadata?.name !== "useless" }],
};
const claims: SchedulerPlugin = { name: "Claims", events: [{ event: { resource: "PersistentVolumeClaim", actions: ["update"] } }] };
const gates: SchedulerPlugin = {
  name: "Gates",
  preEnqueue: ({ pod }) =>
    (pod.spec?.schedulingGates ?? []).length > 0 ? { code: "UnschedulableAndUnresolvable", reasons: [] } : undefined,
  events: [{ event: { resource: "UnscheduledPod", actions: ["updateGates"] } }],
};
const plugins = new Map([fit, claims, gates].map((plugin) => [plugin.name, plugin]));

const nodeAdded = (name = "n"): ClusterChange => ({ resource: "Node", action: "add", before: undefined, after: { metadata: { name } } });
const claimUpdated: ClusterChange = { resource: "PersistentVolumeClaim", action: "update", before: undefined, after: undefined };

let clock: ManualClock;
let queue: SchedulingQueue;

beforeEach(() => {
  // In the middle of a second, where it usually is.
  clock = new ManualClock(Date.UTC(2026, 0, 1) + 300);
  queue = queueWith(clock);
});

const queueWith = (time: Clock): SchedulingQueue =>
  new SchedulingQueue({
    clock: time,
    metrics: new SchedulerMetrics(new MetricsRegistry(), time),
    profiles: new Map([["s", { plugins, preEnqueue: [gates] }]]),
    less: (a, b) => a.pod.priority > b.pod.priority || (a.pod.priority === b.pod.priority && a.queuedAt < b.queuedAt),
  });

function pop(): QueuedPod {
  const queued = queue.pop();
  assert.ok(queued);
  return queued;
}

/** Tries the next Pod, which is unschedulable. */
function refuse(by: readonly string[], pendingOn: readonly string[] = []): QueuedPod {
  const queued = pop();
  queued.unschedulablePlugins = new Set(by);
  queued.pendingPlugins = new Set(pendingOn);
  queue.addUnschedulableIfNotPresent(queued, queued.pod.pod);
  return queued;
}

const places = () => {
  const { active, backoff, unschedulable, gated } = queue.sizes;
  return { active, backoff, unschedulable, gated };
};
const nowhere = { active: 0, backoff: 0, unschedulable: 0, gated: 0 };

describe("what is tried next", () => {
  test("the most important first, then the oldest", () => {
    for (const [name, priority] of [
      ["a", 0],
      ["b", 5],
      ["c", 0],
    ] as const) {
      queue.add(pod(name, priority));
      clock.advance(1);
    }
    assert.deepEqual(
      [pop(), pop(), pop()].map(({ pod }) => pod.name),
      ["b", "a", "c"],
    );
    assert.equal(queue.pop(), undefined);
  });

  test("each as it is by then", () => {
    queue.add(pod("a"));
    queue.update(pod("a"), { ...pod("a"), metadata: { ...pod("a").metadata, labels: { changed: "yes" } } });
    assert.deepEqual(pop().pod.labels, { changed: "yes" });
  });

  test("what is deleted is not tried", () => {
    for (const name of ["a", "b", "c"]) queue.add(pod(name));
    queue.delete("b");
    assert.deepEqual([pop(), pop()].map(({ pod }) => pod.name).sort(), ["a", "c"]);
    assert.equal(queue.pop(), undefined);
  });
});

describe("what was refused", () => {
  test("waits until something happens that helps", () => {
    queue.add(pod("a"));
    refuse(["Fit"]);
    for (const change of [claimUpdated, nodeAdded("useless")]) queue.moveAllToActiveOrBackoffQueue(change);
    assert.deepEqual(places(), { ...nowhere, unschedulable: 1 });
    queue.moveAllToActiveOrBackoffQueue(nodeAdded());
    assert.deepEqual(places(), { ...nowhere, backoff: 1 });
  });

  test("pauses no longer than nothing else is to be done", () => {
    queue.add(pod("a"));
    refuse(["Fit"]);
    queue.moveAllToActiveOrBackoffQueue(nodeAdded());
    assert.equal(pop().pod.name, "a");
  });

  test("is tried at once when it waited for something of its own", () => {
    queue.add(pod("a"));
    refuse(["Claims"], ["Claims"]);
    queue.moveAllToActiveOrBackoffQueue(claimUpdated);
    assert.deepEqual(places(), { ...nowhere, active: 1 });
  });

  test("misses nothing that happens while it is tried", () => {
    queue.add(pod("a"));
    const queued = pop();
    queue.moveAllToActiveOrBackoffQueue(nodeAdded());
    queued.unschedulablePlugins = new Set(["Fit"]);
    queue.addUnschedulableIfNotPresent(queued, queued.pod.pod);
    assert.deepEqual(places(), { ...nowhere, backoff: 1 });
  });

  test("is tried after five minutes in which nothing happened", () => {
    queue.add(pod("a"));
    refuse(["Fit"]);
    clock.advance(300_000);
    assert.deepEqual(places(), { ...nowhere, unschedulable: 1 });
    clock.advance(30_000);
    assert.deepEqual(places(), { ...nowhere, active: 1 });
    assert.equal(pop().flushed, true);
  });
});

test("a calendar that is set back makes no pause longer", () => {
  let setBackMs = 0;
  const set: Clock = {
    now: () => clock.now() - setBackMs,
    monotonic: () => clock.monotonic(),
    schedule: (afterMs, fn) => clock.schedule(afterMs, fn),
  };
  queue = queueWith(set);
  queue.add(pod("a"));
  refuse([]);
  setBackMs = 3_600_000;
  clock.advance(3_000);
  assert.deepEqual(places(), { ...nowhere, active: 1 });
});

describe("what failed", () => {
  test("pauses for longer each time, up to ten seconds, to the end of a second", () => {
    queue.add(pod("a"));
    const pauses: number[] = [];
    for (let i = 0; i < 6; i++) {
      refuse([]);
      const since = clock.now();
      assert.equal(queue.pop(), undefined, "an error is waited out");
      while (queue.sizes.active === 0) clock.advance(100);
      pauses.push(Math.round((clock.now() - since) / 1000));
    }
    assert.deepEqual(pauses, [2, 3, 5, 9, 11, 11]);
    assert.equal(clock.waiting, 0);
  });
});

describe("what is gated", () => {
  test("is not tried, whatever happens, until its gate is gone", () => {
    queue.add(pod("a", 0, 1));
    queue.moveAllToActiveOrBackoffQueue(nodeAdded());
    clock.advance(600_000);
    assert.deepEqual(places(), { ...nowhere, gated: 1 });
    queue.update(pod("a", 0, 1), pod("a"));
    assert.deepEqual(places(), { ...nowhere, active: 1 });
  });
});

describe("what is nominated", () => {
  const nominated = (name: string): Pod => ({ ...pod(name), status: { nominatedNodeName: "n1" } });
  const on = (node: string) => queue.nominator.nominatedPods(node).map(({ name }) => name);

  test("is known by its status, and by what was just decided", () => {
    queue.add(nominated("a"));
    queue.add(pod("b", 1));
    queue.nominator.set(pop().pod, "n2");
    assert.deepEqual([on("n1"), on("n2")], [["a"], ["b"]]);
    queue.delete("a");
    queue.delete("b");
    assert.deepEqual([on("n1"), on("n2"), queue.nominator.size], [[], [], 0]);
  });

  test("stays so when an update comes that knows nothing of it yet", () => {
    queue.add(pod("a"));
    queue.nominator.set(refuse(["Fit"]).pod, "n1");
    queue.update(pod("a"), { ...pod("a"), status: { phase: "Pending" } });
    assert.deepEqual(on("n1"), ["a"]);
    queue.update(nominated("a"), pod("a"));
    assert.deepEqual(on("n1"), []);
  });
});

test("a waiting attempt is woken by what can be tried, and by the end", async () => {
  const stop = new AbortController();
  const ready = queue.ready(stop.signal);
  queue.add(pod("a"));
  await ready;
  pop();
  const ended = queue.ready(stop.signal);
  stop.abort();
  await ended;
});

test("a closed queue leaves no timers", () => {
  queue.add(pod("a"));
  refuse(["Fit"]);
  queue.add(pod("b"));
  refuse([]);
  assert.ok(clock.waiting > 0);
  queue.close();
  assert.equal(clock.waiting, 0);
});

describe("what is activated", () => {
  test("is tried at once", () => {
    queue.add(pod("a"));
    refuse(["Fit"]);
    queue.activate("a");
    assert.deepEqual(places(), { ...nowhere, active: 1 });
  });

  test("is tried again after a pause when it was just being tried", () => {
    queue.add(pod("a"));
    const queued = pop();
    queue.activate("a");
    queued.unschedulablePlugins = new Set(["Fit"]);
    queue.addUnschedulableIfNotPresent(queued, queued.pod.pod);
    assert.deepEqual(places(), { ...nowhere, backoff: 1 });
    refuse(["Fit"]);
    assert.deepEqual(places(), { ...nowhere, unschedulable: 1 }, "once");
  });
});
