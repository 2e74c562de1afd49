import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../shared/pods/pod-state.ts";
import { disruptedPods, failedStatus, nextStatus } from "./budget-status.ts";
import { type Budget, expectedPods } from "./expected-pods.ts";
import { printSelector } from "./print-selector.ts";
import { staleDisruptionMs, withoutDisruption } from "./stale-pods.ts";

const now = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z");

interface PodOptions {
  readonly ready?: boolean;
  readonly going?: boolean;
  readonly owner?: string;
}
const pod = (name: string, { ready = true, going = false, owner }: PodOptions = {}): Pod => ({
  metadata: {
    name,
    ...(going ? { deletionTimestamp: ago(1) } : {}),
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true }] }),
  },
  status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
});
const budget = (spec: NonNullable<Budget["spec"]>, status: Budget["status"] = {}): Budget => ({
  metadata: { generation: 3 },
  spec,
  status,
});

const scales: Record<string, number> = { a: 5, b: 3 };
const find = async ({ name, uid }: { name: string; uid: string }) => (name in scales ? { uid, replicas: scales[name] ?? 0 } : undefined);
const [a1, a2, b1, lone] = [pod("a1", { owner: "a" }), pod("a2", { owner: "a" }), pod("b1", { owner: "b" }), pod("lone")];
const counts = [
  { name: "so many at least: the Pods are counted", spec: { minAvailable: 2 }, pods: [a1, lone], expect: [2, 2, 0] },
  { name: "a share at least: of what the workloads want, rounded up", spec: { minAvailable: "50%" }, pods: [a1, a2], expect: [5, 3, 0] },
  { name: "so many missing at most", spec: { maxUnavailable: 2 }, pods: [a1, b1], expect: [8, 6, 0] },
  { name: "a share missing at most", spec: { maxUnavailable: "30%" }, pods: [a1, b1], expect: [8, 5, 0] },
  { name: "all may be missing", spec: { maxUnavailable: 9 }, pods: [a1], expect: [5, 0, 0] },
  { name: "Pods without a controller are reported", spec: { maxUnavailable: 1 }, pods: [lone], expect: [0, 0, 1] },
];
for (const { name, spec, pods, expect } of counts)
  test(name, async () => {
    const { expected, healthy, unmanaged } = await expectedPods(budget(spec), pods, find);
    assert.deepEqual([expected, healthy, unmanaged.length], expect);
  });

test("a workload that is gone leaves nothing to count by", async () => {
  await assert.rejects(expectedPods(budget({ maxUnavailable: 1 }), [pod("p", { owner: "x" })], find), {
    message: 'found no controllers for pod "p"',
  });
});

const statuses = [
  { name: "what is healthy beyond what must be may go", pods: [a1, a2], healthy: 1, expect: [2, 1, "True SufficientPods"] },
  {
    name: "nothing may go while too few are healthy",
    pods: [a1, pod("x", { ready: false })],
    healthy: 2,
    expect: [1, 0, "False InsufficientPods"],
  },
  { name: "who goes is not healthy", pods: [a1, pod("x", { going: true })], healthy: 1, expect: [1, 0, "False InsufficientPods"] },
  {
    name: "nor is a Pod that is about to be evicted",
    pods: [a1, a2],
    healthy: 1,
    disrupted: { a2: ago(10) },
    expect: [1, 0, "False InsufficientPods"],
  },
  { name: "nothing is allowed where nothing is expected", pods: [a1], expected: 0, healthy: 0, expect: [1, 0, "False InsufficientPods"] },
];
for (const { name, pods, healthy, expected = pods.length, disrupted = {}, expect } of statuses)
  test(name, () => {
    const status = nextStatus(budget({}), { expected, healthy, unmanaged: [] }, { pods, disrupted, nowMs: now });
    const [condition] = status?.conditions ?? [];
    assert.deepEqual([status?.currentHealthy, status?.disruptionsAllowed, `${condition?.status} ${condition?.reason}`], expect);
    assert.deepEqual(
      [status?.expectedPods, status?.desiredHealthy, status?.observedGeneration, condition?.observedGeneration],
      [expected, healthy, 3, 3],
    );
    const again = nextStatus(budget({}, status), { expected, healthy, unmanaged: [] }, { pods, disrupted, nowMs: now + 5000 });
    assert.equal(again, undefined, "it is not written twice");
  });

test("what cannot be counted allows nothing, and says why", () => {
  const before = nextStatus(budget({}), { expected: 2, healthy: 0, unmanaged: [] }, { pods: [a1, a2], disrupted: {}, nowMs: now });
  const status = failedStatus(budget({}, before), "no idea", now + 60_000);
  assert.deepEqual([status?.disruptionsAllowed, status?.currentHealthy], [0, 2]);
  assert.deepEqual(status?.conditions, [
    {
      type: "DisruptionAllowed",
      status: "False",
      reason: "SyncFailed",
      message: "no idea",
      observedGeneration: 3,
      lastTransitionTime: "2026-01-01T12:01:00Z",
    },
  ]);
  assert.equal(failedStatus(budget({}, status), "no idea", now + 90_000), undefined);
});

test("a Pod that was to be evicted counts as gone for two minutes, and is then reported as not deleted", () => {
  const noted = { a1: ago(30), a2: ago(121), b1: ago(60), gone: ago(10) };
  const disrupted = disruptedPods([a1, a2, pod("b1", { going: true })], noted, now);
  assert.deepEqual(disrupted, { pods: { a1: ago(30) }, notDeleted: [a2], recheckAfterMs: 90_000 });
});

const stale = (condition: object, more: Partial<Pod> = {}): Pod => ({
  ...more,
  status: { ...more.status, conditions: [{ type: "DisruptionTarget", status: "True", ...condition }] },
});
const staleCases = [
  { name: "since a minute", pod: stale({ lastTransitionTime: ago(60) }), expect: 60_000 },
  { name: "for long", pod: stale({ lastTransitionTime: ago(600) }), expect: 0 },
  { name: "by the kubelet", pod: stale({ reason: "TerminationByKubelet" }), expect: undefined },
  { name: "and goes", pod: stale({}, { metadata: { deletionTimestamp: ago(1) } }), expect: undefined },
  { name: "and has ended", pod: stale({}, { status: { phase: "Failed" } }), expect: undefined },
  { name: "no longer", pod: stale({ status: "False" }), expect: undefined },
];
for (const { name, pod: one, expect } of staleCases)
  test(`a Pod is said to be on its way out ${name}`, () => assert.equal(staleDisruptionMs(one, now), expect));

test("it is taken back without a word", () => {
  assert.deepEqual(withoutDisruption(stale({ reason: "EvictionByEvictionAPI", lastTransitionTime: ago(600) }), now).status?.conditions, [
    { type: "DisruptionTarget", status: "False", lastTransitionTime: "2026-01-01T12:00:00Z" },
  ]);
});

test("selectors are printed as Kubernetes 1.36 printed them", () => {
  const text = "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}";
  assert.equal(printSelector({ matchLabels: { app: "web" } }), text);
});
