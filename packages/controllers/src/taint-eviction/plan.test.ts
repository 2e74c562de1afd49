import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../shared/pods/pod-state.ts";
import { plan } from "./plan.ts";

const taint = { key: "broken", effect: "NoExecute" };
const podWith = (tolerationSeconds?: number, deletionTimestamp?: string): Pod => ({
  metadata: { name: "p", namespace: "default", uid: "1", ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: {
    containers: [],
    ...(tolerationSeconds === undefined
      ? {}
      : { tolerations: [{ key: "broken", operator: "Exists", effect: "NoExecute", tolerationSeconds }] }),
  },
});

const cases = [
  { name: "a Pod on a Node without taints stays", pod: podWith(), taints: [], expect: { do: "keep", cancels: false } },
  { name: "a Pod without a toleration is evicted at once", pod: podWith(), taints: [taint], expect: { do: "evict", atMs: 5_000 } },
  {
    name: "a Pod that tolerates the taint for a while waits",
    pod: podWith(10),
    taints: [taint],
    expect: { do: "wait", atMs: 15_000, afterMs: 10_000 },
  },
  {
    name: "a Pod that waits keeps its deadline",
    pod: podWith(10),
    taints: [taint],
    deadline: { uid: "1", atMs: 9_000 },
    expect: { do: "wait", atMs: 9_000, afterMs: 4_000 },
  },
  {
    name: "a Pod whose deadline is over is evicted",
    pod: podWith(10),
    taints: [taint],
    deadline: { uid: "1", atMs: 4_000 },
    expect: { do: "evict", atMs: 4_000 },
  },
  {
    name: "another Pod of the name has a deadline of its own",
    pod: podWith(10),
    taints: [taint],
    deadline: { uid: "0", atMs: 4_000 },
    expect: { do: "wait", atMs: 15_000, afterMs: 10_000 },
  },
  {
    name: "a Pod whose taint is gone has its eviction cancelled",
    pod: podWith(10),
    taints: [],
    deadline: { uid: "1", atMs: 9_000 },
    expect: { do: "keep", cancels: true },
  },
  {
    name: "a Pod that is being deleted has nothing cancelled",
    pod: podWith(10, "2026-01-01T00:00:00Z"),
    taints: [taint],
    deadline: { uid: "1", atMs: 9_000 },
    expect: { do: "keep", cancels: false },
  },
  {
    name: "a Pod that is gone has its eviction cancelled",
    pod: undefined,
    taints: [],
    deadline: { uid: "1", atMs: 9_000 },
    expect: { do: "keep", cancels: true },
  },
];
for (const { name, pod, taints, deadline, expect } of cases)
  test(name, () => {
    const { pod: _, uid: __, ...planned } = { pod: undefined, uid: undefined, ...plan({ pod, taints, deadline, nowMs: 5_000 }) };
    assert.deepEqual(planned, expect);
  });
