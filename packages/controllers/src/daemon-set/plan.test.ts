import assert from "node:assert/strict";
import { test } from "node:test";
import type { DaemonSet } from "./daemon-pod.ts";
import { daemonSetUnderTest, observedUnderTest } from "./daemons-under-test.ts";
import { nameOf } from "./observe.ts";
import { plan } from "./plan.ts";

type Spec = Partial<NonNullable<DaemonSet["spec"]>>;

const rolling = (rollingUpdate: object): Spec => ({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });
const surging = rolling({ maxSurge: 1, maxUnavailable: 0 });
const onlyA = {
  template: { metadata: { labels: { app: "agent" } }, spec: { containers: [], nodeSelector: { "kubernetes.io/hostname": "a" } } },
};

interface Case {
  readonly name: string;
  readonly spec?: Spec;
  readonly nodes: readonly string[];
  readonly pods: readonly string[];
  readonly pauses?: Readonly<Record<string, number>>;
  readonly expect: string;
}

const cases: readonly Case[] = [
  { name: "one for each Node", nodes: ["a", "b"], pods: ["p a"], expect: "create on b" },
  { name: "none where one is yet to be scheduled", nodes: ["a"], pods: ["p a unscheduled pending"], expect: "" },
  { name: "none where the last one goes", nodes: ["a"], pods: ["p a going"], expect: "" },
  { name: "one where the last one has ended and goes", nodes: ["a"], pods: ["p a failed going"], expect: "create on a" },
  { name: "none where the selector does not reach", spec: onlyA, nodes: ["a", "b"], pods: ["p a", "q b"], expect: "delete q" },
  { name: "none where a taint keeps it away", nodes: ["a NoSchedule"], pods: [], expect: "" },
  { name: "what keeps away does not drive away", nodes: ["a NoSchedule"], pods: ["p a"], expect: "" },
  { name: "another taint does", nodes: ["a NoExecute"], pods: ["p a"], expect: "delete p" },
  { name: "a preference is no reason", nodes: ["a PreferNoSchedule"], pods: [], expect: "create on a" },
  { name: "all but the oldest go", nodes: ["a"], pods: ["p a unscheduled", "q a", "r a"], expect: "delete r, delete p" },
  { name: "a failed Pod is deleted, with an Event", nodes: ["a"], pods: ["p a failed"], expect: "delete p, event for p" },
  { name: "a succeeded Pod is deleted, with an Event", nodes: ["a"], pods: ["p a succeeded"], expect: "delete p, event for p" },
  { name: "what fails again and again waits", nodes: ["a"], pods: ["p a failed"], pauses: { a: 4_000 }, expect: "again in 4000" },
  { name: "what was never on a Node that is gone goes", nodes: ["a"], pods: ["p a", "q b", "r c unscheduled"], expect: "delete r" },
  { name: "an update replaces one at a time", nodes: ["a", "b"], pods: ["p a old", "q b old"], expect: "delete p" },
  { name: "an update waits for the last", nodes: ["a", "b"], pods: ["p a unready", "q b old"], expect: "" },
  {
    name: "an update waits until it has been ready for long enough",
    spec: { minReadySeconds: 5 },
    nodes: ["a", "b"],
    pods: ["p a fresh", "q b old"],
    expect: "",
  },
  { name: "an update waits while one goes", nodes: ["a", "b"], pods: ["p a going", "q b old"], expect: "" },
  {
    name: "an update replaces what is not available at once",
    nodes: ["a", "b", "c"],
    pods: ["p a unready", "q b old unready", "r c old"],
    expect: "delete q",
  },
  {
    name: "shares are rounded up",
    spec: rolling({ maxUnavailable: "40%" }),
    nodes: ["a", "b", "c"],
    pods: ["p a old", "q b old", "r c old"],
    expect: "delete p, delete q",
  },
  {
    name: "on deletion only, nothing is updated",
    spec: { updateStrategy: { type: "OnDelete" } },
    nodes: ["a"],
    pods: ["p a old"],
    expect: "",
  },
  { name: "nothing is updated before every Node has its Pod", nodes: ["a", "b"], pods: ["p a old"], expect: "create on b" },
  { name: "with a surge the new one comes first", spec: surging, nodes: ["a", "b"], pods: ["p a old", "q b old"], expect: "create on a" },
  { name: "with a surge the next waits", spec: surging, nodes: ["a", "b"], pods: ["p a old", "n a unready", "q b old"], expect: "" },
  {
    name: "with a surge the old one goes once the new one is available",
    spec: surging,
    nodes: ["a", "b"],
    pods: ["p a old", "n a", "q b old"],
    expect: "delete p",
  },
  {
    name: "with a surge an old one that is not ready goes at once",
    spec: surging,
    nodes: ["a"],
    pods: ["p a old unready", "n a unready"],
    expect: "delete p",
  },
  {
    name: "with a surge old ones that are not ready are replaced at once",
    spec: surging,
    nodes: ["a", "b"],
    pods: ["p a old unready", "q b old unready"],
    expect: "create on a, create on b",
  },
  { name: "with a surge no third one stays", spec: surging, nodes: ["a"], pods: ["p a old", "n a unready", "o a old"], expect: "delete p" },
  { name: "with a surge one comes while the last one goes", spec: surging, nodes: ["a"], pods: ["p a going"], expect: "create on a" },
  {
    name: "with a surge a Node is left once its successor serves",
    spec: surging,
    nodes: ["a NoSchedule", "b"],
    pods: ["p a old", "n b"],
    expect: "delete p",
  },
  {
    name: "with a surge no Node is left before its successor serves",
    spec: surging,
    nodes: ["a NoSchedule", "b"],
    pods: ["p a old", "n b unready"],
    expect: "",
  },
];

for (const { name, spec = {}, nodes, pods, pauses = {}, expect } of cases)
  test(name, () => {
    const planned = plan(observedUnderTest(daemonSetUnderTest(spec), nodes, pods, pauses));
    const steps = [
      ...planned.create.map((node) => `create on ${node}`),
      ...planned.delete.map((pod) => `delete ${nameOf(pod)}`),
      ...planned.ended.map(({ pod }) => `event for ${nameOf(pod)}`),
      ...(planned.againMs === undefined ? [] : [`again in ${planned.againMs}`]),
    ];
    assert.equal(steps.join(", "), expect);
  });
