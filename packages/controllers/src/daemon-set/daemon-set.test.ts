import assert from "node:assert/strict";
import { test } from "node:test";
import { type ControllerRevision, revisionData } from "../shared/revisions/revision-data.ts";
import { daemonPod, isUpdated, targetNodeOf } from "./daemon-pod.ts";
import { daemonSetUnderTest, observedUnderTest } from "./daemons-under-test.ts";
import { FailedPods } from "./failed-pods.ts";
import { planHistory, surplusRevisions } from "./history.ts";
import { nextStatus } from "./status.ts";

test("the status counts Nodes that are to have a Pod, and those that have one", () => {
  const daemonSet = daemonSetUnderTest({ minReadySeconds: 5 });
  const nodes = ["a", "b", "c", "d", "e NoSchedule"];
  const pods = ["p a", "q b old unready", "r c fresh", "s e"];
  assert.deepEqual(nextStatus(observedUnderTest(daemonSet, nodes, pods)), {
    observedGeneration: 2,
    desiredNumberScheduled: 4,
    currentNumberScheduled: 3,
    numberMisscheduled: 1,
    numberReady: 2,
    updatedNumberScheduled: 2,
    numberAvailable: 1,
    numberUnavailable: 3,
  });
});

test("a status that is right is not written again", () => {
  const observed = observedUnderTest(daemonSetUnderTest(), ["a", "b"], ["p a"]);
  const status = nextStatus(observed);
  assert.ok(status !== undefined);
  assert.equal(nextStatus({ ...observed, daemonSet: { ...observed.daemonSet, status } }), undefined);
});

test("a Pod names its Node, tolerates what happens to it, and keeps what it prefers", () => {
  const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: "zone", operator: "Exists" }] } }];
  const brief = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 };
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  const spec = { containers: [], affinity, hostNetwork: true, tolerations: [brief] };
  const pod = daemonPod(daemonSetUnderTest({ template: { spec } }), "new", "a");
  assert.equal(targetNodeOf(pod), "a");
  assert.deepEqual(pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution, preferred);
  assert.deepEqual(
    pod.spec?.tolerations?.map(({ key, effect, tolerationSeconds }) => [key?.split("/")[1], effect, tolerationSeconds]),
    [
      ["not-ready", "NoExecute", undefined],
      ["unreachable", "NoExecute", undefined],
      ["disk-pressure", "NoSchedule", undefined],
      ["memory-pressure", "NoSchedule", undefined],
      ["pid-pressure", "NoSchedule", undefined],
      ["unschedulable", "NoSchedule", undefined],
      ["network-unavailable", "NoSchedule", undefined],
    ],
  );
});

test("a Pod is of the template by its hash, or by the number that came before hashes", () => {
  const daemonSet = daemonSetUnderTest();
  const numbered = { ...daemonSet, metadata: { ...daemonSet.metadata, annotations: { "deprecated.daemonset.template.generation": "7" } } };
  const pod = daemonPod(numbered, "old", "a");
  assert.equal(pod.metadata?.labels?.["pod-template-generation"], "7");
  assert.deepEqual(
    [isUpdated(pod, "old", daemonSet), isUpdated(pod, "new", daemonSet), isUpdated(pod, "new", numbered)],
    [true, false, true],
  );
});

const revision = (number: number, image: string): ControllerRevision => ({
  metadata: { name: `agent-${number}`, labels: { "controller-revision-hash": `${number}` } },
  data: revisionData({ metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "c", image, resources: {} }] } }),
  revision: number,
});

const histories = [
  { name: "the first", history: [], expect: { number: 1, current: undefined, duplicates: [], old: [] } },
  { name: "another template", history: [revision(1, "v1")], expect: { number: 2, current: undefined, duplicates: [], old: [1] } },
  {
    name: "the same template",
    history: [revision(2, "v2"), revision(1, "v1")],
    expect: { number: 2, current: 2, duplicates: [], old: [1] },
  },
  {
    name: "back to one of before",
    history: [revision(1, "v2"), revision(2, "v1")],
    expect: { number: 3, current: 1, duplicates: [], old: [2] },
  },
  {
    name: "one that is there twice",
    history: [revision(1, "v2"), revision(3, "v2")],
    expect: { number: 3, current: 3, duplicates: [1], old: [] },
  },
];

for (const { name, history, expect } of histories)
  test(`history: ${name}`, () => {
    const { number, current, duplicates, old } = planHistory(daemonSetUnderTest(), history);
    const numbers = (some: readonly ControllerRevision[]) => some.map((one) => one.revision);
    assert.deepEqual({ number, current: current?.revision, duplicates: numbers(duplicates), old: numbers(old) }, expect);
  });

test("the history is kept to its limit, but for what is in use", () => {
  const old = [1, 2, 3].map((number) => revision(number, "v1"));
  const inUse = { metadata: { labels: { "controller-revision-hash": "1" } }, spec: { containers: [] } };
  const surplus = (revisionHistoryLimit: number) =>
    surplusRevisions(daemonSetUnderTest({ revisionHistoryLimit }), old, [inUse]).map((one) => one.revision);
  assert.deepEqual([surplus(3), surplus(2), surplus(0)], [[], [2], [2, 3]]);
});

test("what fails on a Node is replaced later each time, until all is well for long enough", () => {
  const failures = new FailedPods();
  const daemonSet = daemonSetUnderTest();
  const pauses = [0, 10_000, 20_000, 2_000_000].map((nowMs) => {
    failures.replaced(daemonSet, "a", nowMs);
    return failures.pauseOn(daemonSet, "a", nowMs);
  });
  assert.deepEqual(pauses, [1_000, 2_000, 4_000, 1_000]);
  assert.equal(failures.pauseOn(daemonSet, "a", 2_001_000), undefined);
  assert.equal(failures.pauseOn(daemonSet, "b", 2_000_000), undefined);
});
