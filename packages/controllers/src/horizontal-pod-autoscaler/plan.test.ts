import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { Hpa } from "./hpa-types.ts";
import type { ObservedHpa, ObservedMetrics, ObservedTarget } from "./observe.ts";
import { plan, planAfterRescale } from "./plan.ts";
import type { ScaledPods } from "./propose-for-metric.ts";
import type { MetricReading } from "./read-metric.ts";
import { noHistory } from "./scaling-history.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");

const external = (name: string, averageValue: string) => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue } },
});

const hpaWith = (spec: Partial<Hpa["spec"]> = {}): Hpa => ({
  metadata: { namespace: "default", name: "web" },
  spec: {
    scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" },
    minReplicas: 2,
    maxReplicas: 10,
    metrics: [external("queue", "10")],
    ...spec,
  },
  status: { desiredReplicas: 3 },
});

const total = (value: number): MetricReading => ({ kind: "total", value: value * 1000 });
const failed: MetricReading = { kind: "failed", error: new Error("no route") };
const pod: Pod = { metadata: { name: "web-0" }, status: { phase: "Running" } };
const scaled = (replicas: number): ScaledPods => ({
  specReplicas: replicas,
  statusReplicas: replicas,
  pods: [pod],
  tolerances: { down: 0.1, up: 0.1 },
  nowMs,
});

const observedWith = (target: ObservedTarget, spec: Partial<Hpa["spec"]> = {}): ObservedHpa => ({
  hpa: hpaWith(spec),
  nowMs,
  monotonicMs: 1_000,
  history: noHistory,
  target,
});
const found = (replicas: number, metrics: ObservedMetrics): ObservedTarget => ({ kind: "found", ref: {} as never, replicas, metrics });
const read = (replicas: number, ...readings: MetricReading[]): ObservedTarget =>
  found(replicas, { kind: "read", scaled: scaled(replicas), readings });

const conditionsOf = ({ status }: ReturnType<typeof plan>): readonly string[] =>
  (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value}:${reason}`);

interface Case {
  readonly name: string;
  readonly target: ObservedTarget;
  readonly spec?: Partial<Hpa["spec"]>;
  readonly rescale?: readonly [number, number, string];
  readonly conditions: readonly string[];
  readonly events?: readonly string[];
  readonly failure?: string;
}

const able = "AbleToScale=True:SucceededGetScale";
const notNeeded: ObservedMetrics = { kind: "notNeeded" };
const problem = { reason: "AmbiguousSelector", message: "two autoscalers" };

const cases: readonly Case[] = [
  {
    name: "a target that cannot be read fails, and says so in AbleToScale",
    target: { kind: "unknown", error: new Error("not found") },
    conditions: ["AbleToScale=False:FailedGetScale"],
    events: ["FailedGetScale"],
    failure: "not found",
  },
  {
    name: "a target with 0 replicas is left alone",
    target: found(0, notNeeded),
    conditions: [able, "ScalingActive=False:ScalingDisabled"],
  },
  {
    name: "a target above the maximum is scaled to it",
    target: found(12, notNeeded),
    rescale: [12, 10, "Current number of replicas above Spec.MaxReplicas"],
    conditions: [able],
  },
  {
    name: "a target below the minimum is scaled to it",
    target: found(1, notNeeded),
    rescale: [1, 2, "Current number of replicas below Spec.MinReplicas"],
    conditions: [able],
  },
  {
    name: "a target whose Pods are not certain fails, and says so in ScalingActive",
    target: found(3, { kind: "noPods", condition: problem, event: problem }),
    conditions: [able, "ScalingActive=False:AmbiguousSelector"],
    events: ["AmbiguousSelector"],
    failure: "two autoscalers",
  },
  {
    name: "a metric above its target scales up",
    target: read(3, total(50)),
    rescale: [3, 5, "external metric queue(nil) above target"],
    conditions: ["AbleToScale=True:ReadyForNewScale", "ScalingActive=True:ValidMetricFound", "ScalingLimited=False:DesiredWithinRange"],
  },
  {
    name: "a metric at its target changes nothing",
    target: read(3, total(30)),
    conditions: ["AbleToScale=True:ReadyForNewScale", "ScalingActive=True:ValidMetricFound", "ScalingLimited=False:DesiredWithinRange"],
  },
  {
    name: "a metric below its target does not scale down before the stabilization window is over",
    target: read(3, total(20)),
    conditions: ["AbleToScale=True:ScaleDownStabilized", "ScalingActive=True:ValidMetricFound", "ScalingLimited=False:DesiredWithinRange"],
  },
  {
    name: "the highest proposal of several metrics counts",
    spec: { metrics: [external("queue", "10"), external("load", "5")] },
    target: read(3, total(40), total(25)),
    rescale: [3, 5, "external metric load(nil) above target"],
    conditions: ["AbleToScale=True:ReadyForNewScale", "ScalingActive=True:ValidMetricFound", "ScalingLimited=False:DesiredWithinRange"],
  },
  {
    name: "a metric that failed does not keep another from scaling up",
    spec: { metrics: [external("queue", "10"), external("load", "5")] },
    target: read(3, failed, total(25)),
    rescale: [3, 5, "external metric load(nil) above target"],
    conditions: ["AbleToScale=True:ReadyForNewScale", "ScalingActive=True:ValidMetricFound", "ScalingLimited=False:DesiredWithinRange"],
    events: ["FailedGetExternalMetric"],
  },
  {
    name: "a metric that failed keeps another from scaling down",
    spec: { metrics: [external("queue", "10"), external("load", "5")] },
    target: read(3, failed, total(10)),
    conditions: [able, "ScalingActive=False:FailedGetExternalMetric"],
    events: ["FailedGetExternalMetric"],
    failure: "invalid metrics (1 invalid out of 2), first error is: failed to get queue external metric value: no route",
  },
];

for (const { name, target, spec, rescale, conditions, events = [], failure } of cases)
  test(name, () => {
    const planned = plan(observedWith(target, spec));
    assert.deepEqual(planned.rescale && [planned.rescale.from, planned.rescale.to, planned.rescale.reason], rescale);
    assert.deepEqual(conditionsOf(planned), conditions);
    assert.deepEqual(
      planned.events.map(({ reason }) => reason),
      events,
    );
    const error = planned.failure?.error;
    assert.equal(error instanceof Error ? error.message : undefined, failure);
  });

const policies = { scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 60 }] } };

test("a target that was rescaled has its new size, the time, and the change in the history", () => {
  const observed = observedWith(read(3, total(50)), { behavior: policies });
  const planned = plan(observed);
  assert.ok(planned.rescale !== undefined);
  const { status, event, history } = planAfterRescale(observed, planned, planned.rescale);
  assert.deepEqual([status.currentReplicas, status.desiredReplicas, status.lastScaleTime], [3, 5, "2026-01-01T12:00:00Z"]);
  assert.deepEqual([event.reason, event.message], ["SuccessfulRescale", "New size: 5; reason: external metric queue(nil) above target"]);
  assert.deepEqual(history.up, [{ change: 2, at: 1_000 }]);
});

test("a target that could not be rescaled keeps its size, and AbleToScale says why", () => {
  const observed = observedWith(read(3, total(50)), { behavior: policies });
  const planned = plan(observed);
  assert.ok(planned.rescale !== undefined);
  const { status, event, history } = planAfterRescale(observed, planned, planned.rescale, "conflict");
  assert.deepEqual([status.currentReplicas, status.desiredReplicas, status.lastScaleTime], [3, 3, undefined]);
  assert.equal(status.conditions?.find(({ type }) => type === "AbleToScale")?.reason, "FailedUpdateScale");
  assert.equal(event.reason, "FailedRescale");
  assert.deepEqual(history.up, []);
});
