import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { mergeStatus, statusPatch } from "./merge-status.ts";

const condition = (type: string, status: string, reason?: string): coreV1.PodCondition => ({
  type,
  status,
  ...(reason === undefined ? {} : { reason }),
});
const [ready, notReady] = [condition("Ready", "True"), condition("Ready", "False")];

const merges: readonly { name: string; base: coreV1.PodStatus; reported: coreV1.PodStatus; mayRun?: boolean; expect: coreV1.PodStatus }[] =
  [
    {
      name: "conditions of others stay, before the kubelet's own",
      base: { conditions: [ready, condition("lb", "True")] },
      reported: { conditions: [condition("lb", "False"), notReady] },
      expect: { conditions: [condition("lb", "True"), notReady] },
    },
    {
      name: "a terminal phase is not written while containers may run",
      base: { phase: "Running" },
      reported: { phase: "Failed", reason: "Evicted" },
      mayRun: true,
      expect: { phase: "Running", conditions: [] },
    },
    {
      name: "and then with its reason",
      base: { phase: "Running" },
      reported: { phase: "Failed", reason: "Evicted" },
      expect: { phase: "Failed", reason: "Evicted", conditions: [] },
    },
    {
      name: "a terminal phase that another client wrote stays",
      base: { phase: "Failed", reason: "NodeLost" },
      reported: { phase: "Running" },
      expect: { phase: "Failed", reason: "NodeLost", conditions: [] },
    },
    {
      name: "what has ended is not ready",
      base: { phase: "Running" },
      reported: { phase: "Succeeded", conditions: [ready] },
      expect: { phase: "Succeeded", conditions: [condition("Ready", "False", "PodCompleted")] },
    },
    {
      name: "the condition DisruptionTarget is written with the terminal phase",
      base: { phase: "Running" },
      reported: { phase: "Failed", conditions: [condition("DisruptionTarget", "True")] },
      expect: { phase: "Failed", conditions: [condition("DisruptionTarget", "True")] },
    },
    {
      name: "and not before",
      base: { phase: "Running" },
      reported: { phase: "Failed", conditions: [condition("DisruptionTarget", "True")] },
      mayRun: true,
      expect: { phase: "Running", conditions: [] },
    },
  ];
for (const { name, base, reported, mayRun = false, expect } of merges)
  test(name, () => assert.deepEqual(mergeStatus(base, reported, { mayRun }), expect));

const patches: readonly { name: string; base: coreV1.PodStatus; wanted: coreV1.PodStatus; expect: object | undefined }[] = [
  {
    name: "nothing is written when nothing changes",
    base: { phase: "Running", conditions: [ready] },
    wanted: { phase: "Running", conditions: [ready] },
    expect: undefined,
  },
  { name: "what is no more goes", base: { reason: "Evicted" }, wanted: {}, expect: { reason: null } },
  {
    name: "one condition is written, in its place",
    base: { conditions: [condition("Initialized", "True"), { ...notReady, message: "why" }] },
    wanted: { conditions: [condition("Initialized", "True"), ready] },
    expect: {
      conditions: [{ message: null, type: "Ready", status: "True" }],
      "$setElementOrder/conditions": [{ type: "Initialized" }, { type: "Ready" }],
    },
  },
  {
    name: "a condition that is no more goes",
    base: { conditions: [condition("PodResizePending", "True"), ready] },
    wanted: { conditions: [ready] },
    expect: { conditions: [{ type: "PodResizePending", $patch: "delete" }], "$setElementOrder/conditions": [{ type: "Ready" }] },
  },
  {
    name: "an address takes the place of another",
    base: { podIPs: [{ ip: "10.0.0.1" }] },
    wanted: { podIPs: [{ ip: "10.0.0.2" }] },
    expect: { podIPs: [{ ip: "10.0.0.2" }, { $patch: "replace" }] },
  },
];
for (const { name, base, wanted, expect } of patches) test(name, () => assert.deepEqual(statusPatch(base, wanted), expect));
