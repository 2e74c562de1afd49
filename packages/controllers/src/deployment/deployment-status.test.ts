import assert from "node:assert/strict";
import { test } from "node:test";
import { wireTime } from "@coxswain/machinery";
import { plan } from "./plan.ts";
import type { Deployment } from "./rollout.ts";
import {
  type DeploymentUnderTest,
  deploymentUnderTest,
  nowMs,
  type ReplicaSetUnderTest,
  replicaSetUnderTest,
} from "./rollout-under-test.ts";

const then = wireTime(nowMs - 600_000);
const longAgo = wireTime(nowMs - 601_000);
const now = wireTime(nowMs);

const progressing = (reason: string, status = "True", lastUpdateTime = then) => ({
  type: "Progressing",
  status,
  reason,
  message: "before",
  lastUpdateTime,
  lastTransitionTime: then,
});
const counts = { observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };

interface Case {
  readonly name: string;
  readonly deployment?: DeploymentUnderTest;
  readonly sets?: readonly ReplicaSetUnderTest[];
  /** Of each condition: type, status, reason, message, last update and last transition. */
  readonly expect: readonly (readonly string[])[];
}

const available = ["Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now, now];
const unavailable = ["Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.", now, now];
const rolling = [
  { revision: 1, wants: 3 },
  { revision: 2, wants: 1, available: 0 },
];

const cases: readonly Case[] = [
  {
    name: "a new ReplicaSet is made",
    deployment: { image: "v1" },
    expect: [["Progressing", "True", "NewReplicaSetCreated", 'Created new replica set "NAME"', now, now], unavailable],
  },
  {
    name: "there was a ReplicaSet before progressDeadlineSeconds was set",
    sets: [{ revision: 2, wants: 3, available: 2, status: { replicas: 3, observedGeneration: 1 } }],
    deployment: { status: { replicas: 3, updatedReplicas: 3 } },
    expect: [["Progressing", "True", "FoundNewReplicaSet", 'Found new replica set "r2"', now, now], unavailable],
  },
  {
    name: "Pods have become available",
    deployment: { status: { ...counts, updatedReplicas: 0, conditions: [progressing("NewReplicaSetCreated")] } },
    sets: [
      { revision: 1, wants: 2 },
      { revision: 2, wants: 2, available: 1 },
    ],
    expect: [available, ["Progressing", "True", "ReplicaSetUpdated", 'ReplicaSet "r2" is progressing.', now, then]],
  },
  {
    name: "progress is confirmed though nothing else is said",
    deployment: { status: { replicas: 3, conditions: [progressing("ReplicaSetUpdated")] } },
    sets: rolling,
    expect: [available, ["Progressing", "True", "ReplicaSetUpdated", 'ReplicaSet "r2" is progressing.', now, then]],
  },
  {
    name: "all is done",
    deployment: { status: { ...counts, conditions: [progressing("ReplicaSetUpdated")] } },
    sets: [{ revision: 2, wants: 3 }],
    expect: [available, ["Progressing", "True", "NewReplicaSetAvailable", 'ReplicaSet "r2" has successfully progressed.', now, then]],
  },
  {
    name: "nothing has happened, but there is time yet",
    deployment: { status: { ...counts, replicas: 4, updatedReplicas: 1, conditions: [progressing("ReplicaSetUpdated")] } },
    sets: rolling,
    expect: [["Progressing", "True", "ReplicaSetUpdated", "before", then, then], available],
  },
  {
    name: "nothing has happened for too long",
    deployment: { status: { ...counts, replicas: 4, updatedReplicas: 1, conditions: [progressing("ReplicaSetUpdated", "True", longAgo)] } },
    sets: rolling,
    expect: [available, ["Progressing", "False", "ProgressDeadlineExceeded", 'ReplicaSet "r2" has timed out progressing.', now, now]],
  },
  {
    name: "it has been late before",
    deployment: { status: { ...counts, replicas: 4, updatedReplicas: 1, conditions: [progressing("ProgressDeadlineExceeded", "False")] } },
    sets: rolling,
    expect: [["Progressing", "False", "ProgressDeadlineExceeded", "before", then, then], available],
  },
  {
    name: "a Pod is lost after the rollout",
    deployment: { status: { ...counts, conditions: [progressing("NewReplicaSetAvailable", "True", longAgo)] } },
    sets: [{ revision: 2, wants: 3, available: 2 }],
    expect: [["Progressing", "True", "NewReplicaSetAvailable", "before", longAgo, then], unavailable],
  },
  {
    name: "there is no progressDeadlineSeconds",
    deployment: { spec: { progressDeadlineSeconds: 2 ** 31 - 1 }, status: { ...counts, conditions: [progressing("ReplicaSetUpdated")] } },
    sets: [{ revision: 2, wants: 3 }],
    expect: [available],
  },
  {
    name: "a pause begins",
    deployment: { spec: { paused: true }, status: { ...counts, conditions: [progressing("NewReplicaSetAvailable")] } },
    sets: [{ revision: 2, wants: 3 }],
    expect: [["Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", now, now], available],
  },
  {
    name: "a pause ends in the middle of a rollout",
    deployment: { status: { ...counts, replicas: 4, updatedReplicas: 1, conditions: [progressing("DeploymentPaused", "Unknown")] } },
    sets: rolling,
    expect: [["Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", now, then], available],
  },
  {
    name: "a pause does not hide that it was late",
    deployment: { spec: { paused: true }, status: { ...counts, conditions: [progressing("ProgressDeadlineExceeded", "False")] } },
    sets: rolling,
    expect: [["Progressing", "False", "ProgressDeadlineExceeded", "before", then, then], available],
  },
  {
    name: "Pods cannot be made",
    deployment: { status: { ...counts, replicas: 4, updatedReplicas: 1, conditions: [progressing("ReplicaSetUpdated")] } },
    sets: [
      { revision: 1, wants: 3 },
      {
        revision: 2,
        wants: 1,
        status: {
          replicas: 0,
          observedGeneration: 1,
          conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "quota", lastTransitionTime: then }],
        },
      },
    ],
    expect: [
      ["Progressing", "True", "ReplicaSetUpdated", "before", then, then],
      available,
      ["ReplicaFailure", "True", "FailedCreate", "quota", then, then],
    ],
  },
];
for (const { name, deployment, sets = [], expect } of cases)
  test(`conditions, when ${name}`, () => assert.deepEqual(conditionsOf(planFor(deployment, sets).deployment), expect));

const planFor = (deployment: DeploymentUnderTest | undefined, sets: readonly ReplicaSetUnderTest[]) =>
  plan({ deployment: deploymentUnderTest(deployment), replicaSets: sets.map(replicaSetUnderTest), runs: () => false, nowMs });

const conditionsOf = ({ status }: Deployment) =>
  status?.conditions?.map(({ type, status, reason, message, lastUpdateTime, lastTransitionTime }) => [
    type,
    status,
    reason,
    message?.replace(/"web-\w+"/, '"NAME"'),
    lastUpdateTime,
    lastTransitionTime,
  ]);

const again: readonly [name: string, status: NonNullable<Deployment["status"]>, expect: number | undefined][] = [
  [
    "a second after its time would be over",
    { ...counts, replicas: 4, updatedReplicas: 1, conditions: [progressing("ReplicaSetUpdated", "True", wireTime(nowMs - 60_000))] },
    541_000,
  ],
  [
    "at once when its time is almost over",
    { ...counts, replicas: 4, updatedReplicas: 1, conditions: [progressing("ReplicaSetUpdated")] },
    0,
  ],
  [
    "never when it was late already",
    { ...counts, replicas: 4, updatedReplicas: 1, conditions: [progressing("ProgressDeadlineExceeded", "False")] },
    undefined,
  ],
];
for (const [name, status, expect] of again)
  test(`reconciles a rollout again ${name}`, () => assert.equal(planFor({ status }, rolling).againMs, expect));

test("counts Pods by the ReplicaSets' statuses", () => {
  const { status = {} } = planFor({}, [
    { revision: 1, wants: 2, has: 3, available: 1 },
    { revision: 2, wants: 2, has: 1 },
  ]).deployment;
  const { conditions: _, ...counts } = status;
  assert.deepEqual(counts, {
    observedGeneration: 1,
    replicas: 4,
    updatedReplicas: 1,
    readyReplicas: 2,
    availableReplicas: 2,
    unavailableReplicas: 2,
    terminatingReplicas: 0,
  });
});

test("terminatingReplicas is undefined as long as that of one ReplicaSet is", () => {
  const silent = { replicas: 1, observedGeneration: 1 };
  assert.equal(planFor({}, [{ revision: 2, wants: 3, status: silent }]).deployment.status?.terminatingReplicas, undefined);
  assert.equal(planFor({}, [{ revision: 2, wants: 3, status: { replicas: 0 } }]).deployment.status?.terminatingReplicas, 0);
});
