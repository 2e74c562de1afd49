import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeNamed, nodeWith, podWith, statuses, wakes } from "../plugin-under-test.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";

const nodes = [nodeWith("open"), nodeWith("cordoned", { unschedulable: true })];
const tolerant = podWith({ tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] });

test("an unschedulable node, a Pod without a toleration for it is rejected", () =>
  assert.deepEqual(statuses(nodeUnschedulable, { nodes }, podWith()), { open: "", cordoned: "!node(s) were unschedulable" }));

test("an unschedulable node, a Pod that tolerates it skips Filter", () =>
  assert.equal(statuses(nodeUnschedulable, { nodes }, tolerant), "skip"));

const open = nodeNamed("n");
const cordoned = nodeNamed("n", { unschedulable: true });
const events = [
  { name: "a schedulable node is added", what: ["Node", "add"], after: open, expect: true },
  { name: "an unschedulable node is added", what: ["Node", "add"], after: cordoned, expect: false },
  { name: "an unschedulable node becomes schedulable", what: ["Node", "updateTaints"], before: cordoned, after: open, expect: true },
  { name: "the taints of a schedulable node change", what: ["Node", "updateTaints"], before: open, after: open, expect: false },
  { name: "the labels of a node change", what: ["Node", "updateLabels"], before: cordoned, after: open, expect: false },
] as const;
for (const { name, expect, ...event } of events)
  test(`${name}: ${expect ? "the Pod is requeued" : "the Pod stays unschedulable"}`, () =>
    assert.equal(wakes(nodeUnschedulable, {}, { pod: podWith(), ...event }), expect));

test("the Pod gets a toleration, it is requeued", () => {
  const waiting = podWith();
  const after = { ...waiting, spec: { ...waiting.spec, containers: [], tolerations: tolerant.spec!.tolerations! } };
  const what = ["UnscheduledPod", "updateTolerations"] as const;
  assert.equal(wakes(nodeUnschedulable, {}, { what, pod: waiting, before: waiting, after }), true);
  assert.equal(wakes(nodeUnschedulable, {}, { what, pod: waiting, before: waiting, after: waiting }), false);
});
