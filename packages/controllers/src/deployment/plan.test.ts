import assert from "node:assert/strict";
import { test } from "node:test";
import { plan } from "./plan.ts";
import { type ReplicaSet, wantedOf } from "./rollout.ts";
import {
  type DeploymentUnderTest,
  deploymentUnderTest,
  nowMs,
  type ReplicaSetUnderTest,
  replicaSetUnderTest,
} from "./rollout-under-test.ts";

const complete = { observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };

interface Case {
  readonly name: string;
  readonly deployment?: DeploymentUnderTest;
  readonly sets?: readonly ReplicaSetUnderTest[];
  /** Revisions whose Pods have not all ended. */
  readonly runs?: readonly number[];
  readonly expect: readonly string[];
}

const rolling: readonly Case[] = [
  { name: "makes the first ReplicaSet with all Pods", deployment: { image: "v1" }, expect: ["create 3"] },
  { name: "makes the next one as large as the surge allows", sets: [{ revision: 1, wants: 3 }], expect: ["create 1"] },
  {
    name: "makes the next one empty where there is no surge",
    deployment: { maxSurge: 0, maxUnavailable: 1 },
    sets: [{ revision: 1, wants: 3 }],
    expect: ["create 0", "r1 3→2"],
  },
  {
    name: "waits for new Pods before old ones go",
    sets: [
      { revision: 1, wants: 3 },
      { revision: 2, wants: 1, available: 0 },
    ],
    expect: [],
  },
  {
    name: "lets as many old ones go as there are new ones",
    sets: [
      { revision: 1, wants: 3 },
      { revision: 2, wants: 1 },
    ],
    expect: ["r1 3→2"],
  },
  {
    name: "scales up before it scales down",
    deployment: { maxSurge: 2 },
    sets: [
      { revision: 1, wants: 3 },
      { revision: 2, wants: 1 },
    ],
    expect: ["r2 1→2"],
  },
  {
    name: "lets old ones go at once where some may be missing",
    deployment: { maxSurge: 0, maxUnavailable: 1 },
    sets: [
      { revision: 1, wants: 3 },
      { revision: 2, wants: 0 },
    ],
    expect: ["r1 3→2"],
  },
  {
    name: "lets useless old ones go first, from the oldest on",
    deployment: { image: "v3", maxSurge: 2 },
    sets: [
      { revision: 1, wants: 2, available: 1 },
      { revision: 2, wants: 2, available: 0 },
      { revision: 3, wants: 1 },
    ],
    expect: ["r1 2→1", "r2 2→1"],
  },
  {
    name: "lets nothing go that the newest may still need",
    deployment: { maxUnavailable: 1 },
    sets: [
      { revision: 1, wants: 1 },
      { revision: 2, wants: 3, available: 1 },
    ],
    expect: [],
  },
  {
    name: "takes back what is too much",
    sets: [{ revision: 2, wants: 5, desired: 3 }],
    expect: ["r2 5→3"],
  },
  {
    name: "goes back to a ReplicaSet as a new revision",
    deployment: { image: "v1" },
    sets: [
      { revision: 1, wants: 0 },
      { revision: 2, wants: 3 },
    ],
    expect: ["r1 0→1 as 3"],
  },
];

const recreating: readonly Case[] = [
  { name: "empties the old ones before the new one is made", sets: [{ revision: 1, wants: 3 }], expect: ["r1 3→0"] },
  { name: "waits until they say that they are empty", sets: [{ revision: 1, wants: 0, has: 2 }], expect: [] },
  { name: "waits until their Pods have ended", sets: [{ revision: 1, wants: 0 }], runs: [1], expect: [] },
  { name: "makes the new one with all Pods", sets: [{ revision: 1, wants: 0 }], expect: ["create 3"] },
  {
    name: "scales up one that is there",
    deployment: { image: "v1" },
    sets: [
      { revision: 1, wants: 0 },
      { revision: 2, wants: 0 },
    ],
    runs: [1],
    expect: ["r1 0→3 as 3"],
  },
].map((one) => ({ ...one, name: `recreate ${one.name}`, deployment: { strategy: "Recreate", ...one.deployment } as const }));

const resizing: readonly Case[] = [
  { name: "scales the only active ReplicaSet", deployment: { replicas: 5 }, sets: [{ revision: 2, wants: 3 }], expect: ["r2 3→5"] },
  {
    name: "scales the only active ReplicaSet though it is an old one",
    deployment: { replicas: 5, spec: { paused: true } },
    sets: [{ revision: 1, wants: 3 }],
    expect: ["r1 3→5"],
  },
  {
    name: "scales the newest where none is active",
    deployment: { replicas: 5, spec: { paused: true } },
    sets: [
      { revision: 1, wants: 0 },
      { revision: 2, wants: 0 },
    ],
    expect: ["r2 0→5"],
  },
  {
    name: "gives each its share in the middle of a rollout",
    deployment: { replicas: 20, maxSurge: 2 },
    sets: [
      { revision: 1, wants: 8, desired: 10, max: 12 },
      { revision: 2, wants: 4, desired: 10, max: 12 },
    ],
    expect: ["r1 8→15", "r2 4→7"],
  },
  {
    name: "takes from each its share in the middle of a rollout",
    deployment: { replicas: 5, maxSurge: 2 },
    sets: [
      { revision: 1, wants: 8, desired: 10, max: 12 },
      { revision: 2, wants: 4, desired: 10, max: 12 },
    ],
    expect: ["r1 8→5", "r2 4→2"],
  },
  {
    name: "notes the new size where no Pod can be added",
    deployment: { replicas: 4, maxSurge: 0, maxUnavailable: 1 },
    sets: [
      { revision: 1, wants: 2, desired: 3, max: 4 },
      { revision: 2, wants: 2, desired: 3, max: 4 },
    ],
    expect: ["r1 2", "r2 2"],
  },
  {
    name: "empties what a saturated newest has beside it",
    deployment: { spec: { paused: true } },
    sets: [
      { revision: 1, wants: 2 },
      { revision: 2, wants: 3 },
    ],
    expect: ["r1 2→0"],
  },
  { name: "makes nothing while it is paused", deployment: { spec: { paused: true } }, expect: [] },
  { name: "does nothing while it is deleted", deployment: { isGoing: true, replicas: 9 }, sets: [{ revision: 1, wants: 3 }], expect: [] },
];

const cleaning: readonly Case[] = [
  {
    name: "deletes the oldest revisions beyond the limit",
    deployment: { image: "v5", spec: { revisionHistoryLimit: 2 }, status: complete },
    sets: [4, 2, 1, 3].map((revision) => ({ revision, wants: 0 })).concat({ revision: 5, wants: 3 }),
    expect: ["delete r1", "delete r2"],
  },
  {
    name: "deletes nothing that has Pods, or may have",
    deployment: { image: "v4", spec: { revisionHistoryLimit: 0 }, status: complete },
    sets: [
      { revision: 1, wants: 0, has: 1 },
      { revision: 2, wants: 0, status: { replicas: 0 } },
      { revision: 3, wants: 0 },
      { revision: 4, wants: 3 },
    ],
    expect: ["delete r3"],
  },
  {
    name: "deletes nothing before the rollout is complete",
    deployment: { spec: { revisionHistoryLimit: 0 }, status: { ...complete, updatedReplicas: 2 } },
    sets: [
      { revision: 1, wants: 0 },
      { revision: 2, wants: 3 },
    ],
    expect: [],
  },
];

for (const { name, deployment, sets = [], runs = [], expect } of [...rolling, ...recreating, ...resizing, ...cleaning])
  test(name, () => {
    const { steps } = plan({
      deployment: deploymentUnderTest(deployment),
      replicaSets: sets.map(replicaSetUnderTest),
      runs: ({ metadata }) => runs.some((revision) => metadata?.name === `r${revision}`),
      nowMs,
    });
    const shown = steps.map((step) => {
      if (step.do === "create") return `create ${wantedOf(step.replicaSet)}`;
      return step.do === "delete" ? `delete ${step.replicaSet.metadata?.name}` : changeOf(step.from, step.replicaSet);
    });
    assert.deepEqual(shown, expect);
  });

function changeOf(from: ReplicaSet, to: ReplicaSet): string {
  const [before, now] = [wantedOf(from), wantedOf(to)];
  const [old, revision] = [from, to].map(({ metadata }) => metadata?.annotations?.["deployment.kubernetes.io/revision"]);
  return `${to.metadata?.name} ${before === now ? now : `${before}→${now}`}${old === revision ? "" : ` as ${revision}`}`;
}
