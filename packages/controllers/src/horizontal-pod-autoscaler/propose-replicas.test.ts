import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { PodMetrics } from "./pod-metrics.ts";
import { averageUsage, proposeForShare, proposeForTotal, proposeReplicas, utilization } from "./propose-replicas.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
const time = (secondsAgo: number): string => new Date(nowMs - secondsAgo * 1000).toISOString();
const tolerances = { down: 0.1, up: 0.1 };

interface PodCase {
  readonly phase?: string;
  readonly ready?: boolean;
  /** Seconds ago. */
  readonly started?: number;
  readonly since?: number;
  readonly deleted?: true;
  readonly uses?: number;
}

const podOf = ({ phase = "Running", ready = true, started = 3600, since = 3000, deleted }: PodCase, i: number): Pod => ({
  metadata: { name: `web-${i}`, ...(deleted === undefined ? {} : { deletionTimestamp: time(0) }) },
  status: {
    phase,
    startTime: time(started),
    conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: time(since) }],
  },
});

const metricsOf = (pods: readonly PodCase[]): PodMetrics =>
  new Map(pods.flatMap(({ uses }, i) => (uses === undefined ? [] : [[`web-${i}`, { value: uses, at: nowMs, windowMs: 60_000 }]])));

const propose = (pods: readonly PodCase[], { current = pods.length, resource = "cpu", target = 50 } = {}): number | undefined =>
  proposeReplicas({
    current,
    pods: pods.map(podOf),
    metrics: metricsOf(pods),
    resource,
    tolerances,
    nowMs,
    measure: utilization(new Map(pods.map((_, i) => [`web-${i}`, 100])), target),
    fallback: () => Math.max(100, target),
  }).replicas;

const busy = { uses: 100 };
const idle = { uses: 20 };
const cases: readonly { name: string; pods: readonly PodCase[]; expect: number }[] = [
  { name: "twice as much as wanted: twice as many", pods: [busy, busy], expect: 4 },
  { name: "a tenth more is near enough", pods: [{ uses: 55 }, { uses: 55 }], expect: 2 },
  { name: "a little more than that is not", pods: [{ uses: 56 }, { uses: 56 }], expect: 3 },
  { name: "less than half as much", pods: [idle, idle, idle, idle], expect: 2 },
  { name: "Pods that come up use nothing", pods: [busy, busy, { phase: "Pending" }], expect: 4 },
  { name: "what they would bring must not turn the direction", pods: [{ uses: 80 }, { phase: "Pending" }], expect: 2 },
  { name: "Pods without figures use all they may when there would be fewer", pods: [idle, idle, {}], expect: 3 },
  { name: "and nothing when there would be more", pods: [busy, busy, {}], expect: 4 },
  { name: "those on their way out do not count", pods: [busy, busy, { uses: 0, deleted: true }, { uses: 0, phase: "Failed" }], expect: 4 },
  { name: "what a Pod uses while it starts does not count", pods: [idle, { ...busy, ready: false, started: 60, since: 60 }], expect: 1 },
  { name: "nor what it used before it was ready", pods: [idle, { ...busy, started: 200, since: 30 }], expect: 1 },
  { name: "nor what one uses that has never been ready", pods: [idle, { ...busy, ready: false, started: 600, since: 590 }], expect: 1 },
  { name: "but what one uses that is no longer", pods: [busy, { ...busy, ready: false, started: 600, since: 100 }], expect: 4 },
];
for (const { name, pods, expect } of cases) test(name, () => assert.equal(propose(pods), expect));

test("readiness means nothing to other resources", () => {
  assert.equal(propose([busy, { ...busy, ready: false, started: 60, since: 60 }], { resource: "memory" }), 4);
});

test("without figures of any Pod that counts nothing is proposed", () => {
  assert.throws(() => propose([{ phase: "Pending" }]), /did not receive metrics for targeted pods \(pods might be unready\)/);
  assert.throws(() => propose([]), /no pods returned by selector while calculating replica count/);
});

test("the average is reported", () => {
  assert.deepEqual(
    averageUsage(100)(
      new Map([
        ["a", 150],
        ["b", 101],
      ]),
    ),
    { average: 125, ratio: 1.25 },
  );
});

const ready = [{}, {}, { ready: false }].map(podOf);
const totals = [
  { name: "in proportion to those that are ready", current: 3, ratio: 2, expect: 4 },
  { name: "near enough", current: 3, ratio: 1.05, expect: 3 },
  { name: "from none as many as it takes", current: 0, ratio: 2.5, expect: 3 },
];
for (const { name, current, ratio, expect } of totals)
  test(`one figure for all: ${name}`, () => assert.equal(proposeForTotal(current, ratio, ready, tolerances), expect));

const shares = [
  { usage: 35_000, target: 10_000, current: 1, expect: 4 },
  { usage: 21_000, target: 10_000, current: 2, expect: 2 },
  { usage: 5_000, target: 10_000, current: 3, expect: 1 },
];
for (const { usage, target, current, expect } of shares)
  test(`${usage} divided by ${target} among ${current} is for ${expect}`, () =>
    assert.equal(proposeForShare(current, usage, target, tolerances), expect));
