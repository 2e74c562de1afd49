import assert from "node:assert/strict";
import { test } from "node:test";
import { quiescence } from "@coxswain/machinery/testing";
import { createCycleState } from "../../framework/cycle-state.ts";
import { newNodeInfo } from "../../framework/new-node-info.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { Pod, PodInfo } from "../../framework/pod-info.ts";
import { type Status, unschedulable, unschedulableAndUnresolvable } from "../../framework/status.ts";
import { handleOf } from "../volumes/objects-under-test.ts";
import { defaultPreemption, preemptionArgs } from "./default-preemption.ts";
import { guardsOf, splitByBudgets } from "./pod-disruption-budgets.ts";

const minute = (n: number): string => new Date(Date.UTC(2025, 0, 1, 0, n)).toISOString();

const pod = (name: string, priority: number, { started = 0, app = "x" } = {}): Pod => ({
  metadata: { name, namespace: "default", uid: name, labels: { app } },
  spec: { priority, containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] },
  status: { startTime: minute(started) },
});
const node = (name: string, ...pods: Pod[]): NodeInfo =>
  newNodeInfo({ metadata: { name }, status: { allocatable: { cpu: "2", pods: "10" } } }, pods);
const fits = (_: unknown, { requests }: PodInfo, { requested, allocatable }: NodeInfo): Status | undefined =>
  requested.milliCpu + requests.milliCpu > allocatable.milliCpu ? unschedulable("Insufficient cpu") : undefined;
const budget = (app: string, disruptionsAllowed: number, disruptedPods: Record<string, string> = {}) => ({
  metadata: { name: app, namespace: "default" },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, disruptedPods, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});

const cases = [
  {
    name: "the least important goes",
    nodes: [node("a", pod("low", 1), pod("lower", 0))],
    expect: { node: "a", victims: ["lower"] },
  },
  {
    name: "among equals the younger goes",
    nodes: [node("a", pod("old", 1, { started: 1 }), pod("young", 1, { started: 2 }))],
    expect: { node: "a", victims: ["young"] },
  },
  {
    name: "the node of the least important victim",
    nodes: [node("a", pod("five", 5), pod("six", 6)), node("b", pod("four", 4), pod("seven", 7))],
    expect: { node: "b", victims: ["four"] },
  },
  {
    name: "no budget is violated where that can be helped",
    nodes: [node("a", pod("one", 1, { app: "guarded" }), pod("ten", 10)), node("b", pod("five", 5), pod("six", 6))],
    budgets: [budget("guarded", 0)],
    expect: { node: "b", victims: ["five"] },
  },
  {
    name: "what a budget protects stays, though it is less important",
    nodes: [node("a", pod("one", 1, { app: "guarded" }), pod("five", 5))],
    budgets: [budget("guarded", 0)],
    expect: { node: "a", victims: ["five"] },
  },
  {
    name: "the node whose victims have started last",
    nodes: [node("a", pod("p", 1, { started: 1 }), pod("q", 1, { started: 1 })), node("b", pod("r", 1, { started: 9 }), pod("s", 1))],
    expect: { node: "b", victims: ["r"] },
  },
  {
    name: "nobody is less important",
    nodes: [node("a", pod("p", 100), pod("q", 100)), node("b", pod("r", 100), pod("s", 101))],
    expect: "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
  },
  {
    name: "preemption does not help everywhere",
    nodes: [node("a", pod("p", 100), pod("q", 100)), node("tainted")],
    statuses: { tainted: unschedulableAndUnresolvable("node(s) had untolerated taint(s)") },
    expect:
      "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
  },
  {
    name: "a Pod that preempts nobody",
    nodes: [node("a", pod("p", 1))],
    policy: "Never",
    expect: "preemption: not eligible due to preemptionPolicy=Never.",
  },
  {
    name: "a Pod that is being made room for",
    nodes: [
      node("a", {
        ...pod("going", 1),
        metadata: { name: "going", uid: "going", deletionTimestamp: minute(1) },
        status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
      }),
    ],
    nominated: "a",
    expect: "preemption: not eligible due to a terminating pod on the nominated node.",
  },
];

for (const { name, nodes, budgets = [], statuses = {}, policy, nominated, expect } of cases)
  test(name, async () => {
    const events: string[] = [];
    const stopped: string[] = [];
    const handle = handleOf({
      objects: { poddisruptionbudgets: budgets },
      nodes,
      runFilters: fits,
      getWaitingPod: (uid) => ({ reject: () => stopped.push(uid) }) as never,
      events: { record: (about: Pod, { message }: { message: string }) => events.push(`${about.metadata?.name}: ${message}`) } as never,
    });
    const plugin = defaultPreemption({}, handle);
    const given = pod("big", 50);
    const preemptor = newPodInfo({
      ...given,
      spec: {
        ...given.spec,
        containers: given.spec?.containers ?? [],
        priority: 50,
        ...(policy === undefined ? {} : { preemptionPolicy: policy }),
      },
      status: nominated === undefined ? {} : { nominatedNodeName: nominated },
    });
    const said = new Map(
      nodes.map((one) => [one.name, (statuses as Record<string, Status>)[one.name] ?? unschedulable("Insufficient cpu")]),
    );
    const outcome = await plugin.postFilter?.(createCycleState(), preemptor, said, new AbortController().signal);
    if (typeof expect === "string") {
      assert.ok(outcome !== undefined && "code" in outcome);
      return assert.equal(outcome.reasons.join(), expect);
    }
    assert.deepEqual(outcome, { node: expect.node });
    await quiescence({ observe: () => [stopped, events] });
    assert.deepEqual(stopped.sort(), [...expect.victims].sort());
    assert.deepEqual(
      events,
      expect.victims.map((victim) => `${victim}: Preempted by pod big on node ${expect.node} (in kube-scheduler memory).`),
    );
  });

const budgetCases = [
  { name: "each takes one off what is allowed", budgets: [budget("x", 1)], violating: ["b", "c"] },
  { name: "who goes already takes nothing off", budgets: [budget("x", 1, { a: minute(1) })], violating: ["c"] },
  { name: "one of several budgets is enough", budgets: [budget("x", 9), budget("x", 2)], violating: ["c"] },
  { name: "an empty selector chooses nothing", budgets: [{ ...budget("x", 0), spec: { selector: {} } }], violating: [] },
  { name: "another namespace", budgets: [{ ...budget("x", 0), metadata: { namespace: "y" } }], violating: [] },
];
for (const { name, budgets, violating } of budgetCases)
  test(`budgets: ${name}`, () => {
    const pods = ["a", "b", "c"].map((one) => newPodInfo(pod(one, 1)));
    assert.deepEqual(
      splitByBudgets(pods, guardsOf(budgets)).violating.map((one) => one.name),
      violating,
    );
  });

test("arguments are checked as by kube-scheduler", () => {
  const zero = { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 };
  assert.throws(() => preemptionArgs(zero), {
    message:
      "[minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute, minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage]",
  });
  assert.throws(() => preemptionArgs({ minCandidateNodesPercentage: 101 }), {
    message: "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
  });
});
