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
    name: "Pods of several priorities, the victim is the one of the lowest",
    nodes: [node("a", pod("low", 1), pod("lower", 0))],
    expect: { node: "a", victims: ["lower"] },
  },
  {
    name: "Pods of one priority, the victim is the one that started last",
    nodes: [node("a", pod("old", 1, { started: 1 }), pod("young", 1, { started: 2 }))],
    expect: { node: "a", victims: ["young"] },
  },
  {
    name: "victims on several nodes, the node whose highest victim has the lowest priority is nominated",
    nodes: [node("a", pod("five", 5), pod("six", 6)), node("b", pod("four", 4), pod("seven", 7))],
    expect: { node: "b", victims: ["four"] },
  },
  {
    name: "victims on several nodes, the node without PodDisruptionBudget violations is nominated",
    nodes: [node("a", pod("one", 1, { app: "guarded" }), pod("ten", 10)), node("b", pod("five", 5), pod("six", 6))],
    budgets: [budget("guarded", 0)],
    expect: { node: "b", victims: ["five"] },
  },
  {
    name: "a Pod that a PodDisruptionBudget protects, another one of a higher priority is the victim",
    nodes: [node("a", pod("one", 1, { app: "guarded" }), pod("five", 5))],
    budgets: [budget("guarded", 0)],
    expect: { node: "a", victims: ["five"] },
  },
  {
    name: "equal victims on several nodes, the node whose victims started last is nominated",
    nodes: [node("a", pod("p", 1, { started: 1 }), pod("q", 1, { started: 1 })), node("b", pod("r", 1, { started: 9 }), pod("s", 1))],
    expect: { node: "b", victims: ["r"] },
  },
  {
    name: "no Pod of a lower priority, no node is nominated",
    nodes: [node("a", pod("p", 100), pod("q", 100)), node("b", pod("r", 100), pod("s", 101))],
    expect: "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
  },
  {
    name: "an UnschedulableAndUnresolvable node, it is no candidate",
    nodes: [node("a", pod("p", 100), pod("q", 100)), node("tainted")],
    statuses: { tainted: unschedulableAndUnresolvable("node(s) had untolerated taint(s)") },
    expect:
      "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
  },
  {
    name: "preemptionPolicy Never, no node is nominated",
    nodes: [node("a", pod("p", 1))],
    policy: "Never",
    expect: "preemption: not eligible due to preemptionPolicy=Never.",
  },
  {
    name: "terminating victims on the nominated node, no further victims are chosen",
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
  { name: "each victim takes one of the disruptions allowed", budgets: [budget("x", 1)], violating: ["b", "c"] },
  { name: "a Pod in disruptedPods takes none of the disruptions allowed", budgets: [budget("x", 1, { a: minute(1) })], violating: ["c"] },
  {
    name: "a Pod of several budgets violates when one of them allows no disruption",
    budgets: [budget("x", 9), budget("x", 2)],
    violating: ["c"],
  },
  { name: "a budget with an empty selector matches no Pod", budgets: [{ ...budget("x", 0), spec: { selector: {} } }], violating: [] },
  { name: "a budget of another namespace matches no Pod", budgets: [{ ...budget("x", 0), metadata: { namespace: "y" } }], violating: [] },
];
for (const { name, budgets, violating } of budgetCases)
  test(`PodDisruptionBudgets: ${name}`, () => {
    const pods = ["a", "b", "c"].map((one) => newPodInfo(pod(one, 1)));
    assert.deepEqual(
      splitByBudgets(pods, guardsOf(budgets)).violating.map((one) => one.name),
      violating,
    );
  });

test("New rejects the arguments that kube-scheduler rejects", () => {
  const zero = { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 };
  assert.throws(() => preemptionArgs(zero), {
    message:
      "[minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute, minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage]",
  });
  assert.throws(() => preemptionArgs({ minCandidateNodesPercentage: 101 }), {
    message: "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
  });
});
