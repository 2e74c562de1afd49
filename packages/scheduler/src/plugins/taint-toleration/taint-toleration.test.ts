import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../framework/pod-info.ts";
import { nodeNamed, nodeWith, podWith, scores, statuses, wakes } from "../plugin-under-test.ts";
import { taintToleration } from "./taint-toleration.ts";

const taint = (key: string, effect: string, value = "") => ({ key, value, effect });
const gpu = { taints: [taint("gpu", "NoSchedule")] };
const going = { taints: [taint("going", "NoExecute")] };
const busy = { taints: [taint("busy", "PreferNoSchedule", "a little")] };
const nodes = [
  nodeWith("free"),
  nodeWith("gpu", gpu),
  nodeWith("going", going),
  nodeWith("busy", busy),
  nodeWith("both", { taints: [...gpu.taints, ...going.taints] }),
];
const refused = "!node(s) had untolerated taint(s)";

type Tolerations = NonNullable<NonNullable<Pod["spec"]>["tolerations"]>;
const cases: readonly { name: string; tolerations?: Tolerations; expect: readonly string[] }[] = [
  { name: "nothing", expect: ["gpu", "going", "both"] },
  { name: "one taint", tolerations: [{ key: "gpu", operator: "Exists" }], expect: ["going", "both"] },
  {
    name: "one taint with another effect",
    tolerations: [{ key: "gpu", operator: "Exists", effect: "NoExecute" }],
    expect: ["gpu", "going", "both"],
  },
  { name: "everything", tolerations: [{ operator: "Exists" }], expect: [] },
];
for (const { name, tolerations, expect } of cases)
  test(`a Pod that tolerates ${name}: rejected are ${expect.join(", ") || "no nodes"}`, () => {
    const all = statuses(taintToleration, { nodes }, podWith(tolerations && { tolerations }));
    assert.deepEqual(all, Object.fromEntries(nodes.map(({ name: node }) => [node, expect.includes(node) ? refused : ""])));
  });

test("more PreferNoSchedule taints that are not tolerated, a lower score", () => {
  const three = [taint("a", "PreferNoSchedule"), taint("b", "PreferNoSchedule"), taint("c", "PreferNoSchedule")];
  const some = [nodeWith("none", gpu), nodeWith("one", { taints: three.slice(0, 1) }), nodeWith("three", { taints: three })];
  assert.deepEqual(scores(taintToleration, { nodes: some }, podWith()), [100, 67, 0]);
  assert.deepEqual(scores(taintToleration, { nodes: some }, podWith({ tolerations: [{ key: "a", operator: "Exists" }] })), [100, 100, 0]);
});

test("no PreferNoSchedule taints, all nodes score the same", () =>
  assert.deepEqual(scores(taintToleration, { nodes: nodes.slice(0, 2) }, podWith()), [100, 100]));

const events = [
  { name: "a node without taints is added", after: nodeNamed("n"), expect: true },
  { name: "a node with a taint that is not tolerated is added", after: nodeNamed("n", gpu), expect: false },
  { name: "a taint is removed", before: nodeNamed("n", gpu), after: nodeNamed("n"), expect: true },
  {
    name: "a taint is replaced by another one that is not tolerated",
    before: nodeNamed("n", gpu),
    after: nodeNamed("n", going),
    expect: false,
  },
  { name: "a PreferNoSchedule taint is removed", before: nodeNamed("n", busy), after: nodeNamed("n"), expect: false },
] as const;
for (const { name, expect, ...event } of events)
  test(`${name}: ${expect ? "the Pod is requeued" : "the Pod stays unschedulable"}`, () => {
    const what = ["Node", "before" in event ? "updateTaints" : "add"] as const;
    assert.equal(wakes(taintToleration, {}, { what, pod: podWith(), ...event }), expect);
  });
