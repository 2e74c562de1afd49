import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "@coxswain/client";
import { notFound } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { Budget } from "./expected-pods.ts";
import type { ObservedBudgetPods } from "./observe.ts";
import { plan } from "./plan.ts";

const nowMs = Date.UTC(2026, 0, 1, 12);
const pod: Pod = { metadata: { name: "a" }, status: { conditions: [{ type: "Ready", status: "True" }] } };
const budget: Budget = { metadata: { generation: 1 }, spec: { minAvailable: 0 } };
const missing = notFound({ group: "apps", resource: "deployments" }, "web");

interface Case {
  readonly name: string;
  readonly pods: ObservedBudgetPods;
  readonly events: readonly string[];
  readonly allowed: number | undefined;
  readonly throws?: boolean;
}

const counted = (selected: readonly Pod[], unmanaged: readonly Pod[] = []): ObservedBudgetPods => ({
  kind: "counted",
  selected,
  expected: { expected: selected.length, healthy: 0, unmanaged },
});

const cases: readonly Case[] = [
  { name: "a budget with a healthy Pod to spare allows its disruption", pods: counted([pod]), events: [], allowed: 1 },
  { name: "a budget without Pods allows nothing, and says so", pods: counted([]), events: ["NoPods"], allowed: 0 },
  { name: "a budget with unmanaged Pods warns", pods: counted([pod], [pod]), events: ["UnmanagedPods"], allowed: 1 },
  {
    name: "a budget whose selector cannot be parsed allows nothing",
    pods: { kind: "unknown", error: new Error("bad selector") },
    events: ["NoPods"],
    allowed: 0,
  },
  {
    name: "a budget whose Pods cannot be counted allows nothing",
    pods: { kind: "uncountable", selected: [pod], error: new Error("no scale") },
    events: ["CalculateExpectedPodCountFailed"],
    allowed: 0,
  },
  {
    name: "a budget whose Pods the server could not count is tried again",
    pods: { kind: "uncountable", selected: [pod], error: missing },
    events: ["CalculateExpectedPodCountFailed"],
    allowed: 0,
    throws: true,
  },
];
for (const { name, pods, events, allowed, throws = false } of cases)
  test(name, () => {
    const planned = plan({ budget, pods, nowMs });
    assert.deepEqual(
      planned.events.map(({ reason }) => reason),
      events,
    );
    assert.equal(planned.status?.disruptionsAllowed, allowed);
    assert.equal(planned.error instanceof StatusError, throws);
  });
